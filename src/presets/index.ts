// Checks of this process and machine
export { type DiskSpaceOptions, diskSpace, type FileSystemSize } from './disk-space.js';
export { type EventLoopDelayOptions, eventLoopDelay } from './event-loop-delay.js';
export { type WritableDirectoryOptions, writableDirectory } from './writable-directory.js';

// Checks of what it depends on
export { type HttpCheckOptions, httpCheck } from './http-check.js';
export type { TlsOptions } from './http-exchange.js';

// Services that are operating-system processes
export { ChildProcessError, childProcess } from './child-process/child-process.js';
export type { ChildProcessOptions, ReadyWhen } from './child-process/options.js';
export type { ProcessEnd } from './child-process/running-process.js';

// What they share
export type { PresetCheckOptions } from './preset-check.js';
