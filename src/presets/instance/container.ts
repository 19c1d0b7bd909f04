import type { Clock } from '../../index.js';
import type { ContainerStatus, EngineHealth } from '../../wire/instance.js';

/**
 * Why a container could not be looked at. `engine_unreachable`: nobody answers. `engine_timeout`: it does not answer in
 * time. `engine_permission`: we may not ask. `engine_error`: it answered something else. `client_missing`: the package
 * that speaks to it cannot be loaded.
 */
export type EngineFault =
  | 'engine_unreachable'
  | 'engine_timeout'
  | 'engine_permission'
  | 'engine_error'
  | 'client_missing';

/** One look at a container. */
export type ContainerObservation = FoundContainer | MissingContainer | UnknownContainer;

/** The engine knows it. */
export interface FoundContainer {
  readonly status: Exclude<ContainerStatus, 'missing' | 'unknown'>;
  /** The engine's id: another one under the same name is another container. */
  readonly id?: string | undefined;
  /** Of its last end; engines say 0 while it runs. */
  readonly exitCode?: number | undefined;
  /** Whether it was killed for want of memory. Not every engine tells. */
  readonly outOfMemory?: boolean | undefined;
  /** How often the engine has restarted it by its restart policy. */
  readonly restartCount?: number | undefined;
  /** When it was last started, in the engine's words; compared, never parsed. Absent: never. */
  readonly startedAt?: string | undefined;
  /** What its built-in health check says. Absent: it has none. */
  readonly engineHealth?: EngineHealth | undefined;
  /** Why the engine could not start it. */
  readonly startError?: string | undefined;
}

/** The engine answered that there is no such container. */
export interface MissingContainer {
  readonly status: 'missing';
}

/** It could not be looked at, which says nothing about it. */
export interface UnknownContainer {
  readonly status: 'unknown';
  readonly reason: EngineFault;
  readonly message: string;
}

/** What a command in a container came to. */
export type ExecOutcome =
  | {
      readonly kind: 'ended';
      readonly exitCode: number;
      /** What it printed, each at most 4 KiB. */
      readonly stdout: string;
      readonly stderr: string;
    }
  /** An earlier command of ours still runs there: nothing was begun. */
  | { readonly kind: 'busy' }
  /** The engine did not run it: not reached, or the container does not run. */
  | { readonly kind: 'refused'; readonly message: string };

export interface ObserveContext {
  /** Aborted when the look takes too long, or when nobody wants its answer any more. */
  readonly signal: AbortSignal;
}

export interface ExecContext extends ObserveContext {
  readonly clock: Clock;
}

/**
 * A container as an `Instance` sees it: `dockerContainer()`, or one of your own for another runtime.
 *
 * `observe` answers with what is there now; it may reject, which counts as `unknown`, and is bounded by the caller.
 * `exec` is needed by probes that run a command only; it never begins a command while an earlier one of its own runs.
 */
export interface InstanceContainer {
  observe(context: ObserveContext): ContainerObservation | PromiseLike<ContainerObservation>;
  exec?(command: readonly string[], context: ExecContext): PromiseLike<ExecOutcome>;
}
