// Handlers
export { createHealthHandler, type HealthHandler, type RawRequest, type RawResponse } from './node.js';
export { type HealthServer, type ServeHealthOptions, serveHealth } from './serve.js';

// A server that stops without losing requests
export type { LongLivedConnection } from './connections.js';
export { type DrainSource, type HttpApplication, type HttpServiceOptions, httpService } from './http-service.js';

// Who sees details
export { bearerToken, fromLoopback, type PolicyRequest } from './policies.js';

// What they take
export type { ListenOptions } from './listen.js';
export type { DetailsPolicy, HealthHandlerOptions, PathOptions } from './options.js';
export type { HealthReporter } from './reporter.js';

// What browsers get
export type { EventSink, OpenStream } from './event-sink.js';
export type { PageWant, ReportPage } from './report-page.js';
export type { HealthResponse } from './response.js';

// Paths
export { type HealthPaths, healthPaths } from './paths.js';
