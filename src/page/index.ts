// The page
export { createStatusPage, type StatusPage } from './status-page.js';
export type { FastifyHost } from '../http/shells.js';
export type { StatusPageOptions } from './options.js';

// What it shows
export { controllerSource, type PageController } from './controller-source.js';
export { gatewaySource, type PageGateway } from './gateway-source.js';
export { instanceSource, type PageInstance } from './instance-source.js';
export { monitorSource, type PageInstanceState, type PageMonitor } from './monitor-source.js';
export { type PageSandboxService, type PageSandboxServices, sandboxSource } from './sandbox-source.js';
export type { SourceOptions } from './source-name.js';

// Sources of one's own
export type { PageChange, PageEntry, PageReadContext, PageReading, PageSource, PageState } from './source.js';

// Who may look
export type { DetailsPolicy } from '../http/options.js';
export { bearerToken, fromLoopback, type PolicyRequest } from '../http/policies.js';
export type { EventSink, OpenStream } from '../http/event-sink.js';
export type { PageWant, ReportPage } from '../http/report-page.js';
export type { HealthResponse } from '../http/response.js';
