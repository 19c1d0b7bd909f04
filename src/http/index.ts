// Handlers
export { createHealthHandler, type HealthHandler } from './node.js';
export { type HealthServer, type ServeHealthOptions, serveHealth } from './serve.js';

// What they take
export type { ListenOptions } from './listen.js';
export type { DetailsPolicy, HealthHandlerOptions, PathOptions } from './options.js';
export type { HealthReporter } from './reporter.js';

// Paths
export { type HealthPaths, healthPaths } from './paths.js';
