import type { InstanceStatus } from '../../wire/instance.js';
import type { ContainerObservation } from './container.js';
import { describeEnd, describeWait, isOver } from './describe.js';
import type { ReadinessFinding } from './readiness-probe.js';
import { isCalm, isLooping, type LoopRules, NO_RESTARTS, noteRestarts, type RestartRecord } from './restarts.js';

/** An instance's rules, resolved. */
export interface StatusRules extends LoopRules {
  readonly readinessTimeoutMs: number;
  /** Whether there is a readiness probe. */
  readonly probed: boolean;
}

/** The way through the readiness gate of a container that has come up, or is about to come up again. */
export interface Gate {
  /** Each passage has its own: a finding of an earlier one counts for nothing. */
  readonly number: number;
  readonly deadlineAt: number;
  /** Up, if only paused. */
  readonly up: boolean;
  /** Since when it has been seen running without a break. */
  readonly runningSince: number | undefined;
  readonly lastFailure: string | undefined;
}

/** Where an instance is, with what belongs to that. */
export type InstanceState =
  | { readonly status: 'pending'; readonly deadlineAt: number }
  | { readonly status: 'starting'; readonly gate: Gate }
  | { readonly status: 'unhealthy'; readonly gate: Gate; readonly message: string }
  | { readonly status: 'running'; readonly validated: boolean; readonly message: string | undefined }
  | {
      readonly status: 'error';
      readonly exitCode: number | undefined;
      readonly message: string;
      readonly looping: boolean;
    };

/**
 * Decides where an instance is, by successive looks at its container and findings of its readiness probe (seed 003,
 * decisions 1 and 2). Knows no timer: the time comes in with each call.
 */
export class StatusModel {
  readonly #rules: StatusRules;
  #state: InstanceState;
  #record: RestartRecord = NO_RESTARTS;
  #gates = 0;

  /** The verification begins. */
  constructor(rules: StatusRules, now: number) {
    this.#rules = rules;
    this.#state = { status: 'pending', deadlineAt: now + rules.startupTimeoutMs };
  }

  get state(): InstanceState {
    return this.#state;
  }

  get status(): InstanceStatus {
    return this.#state.status;
  }

  /** The gate that the container is in, or has not got through in time. */
  get gate(): Gate | undefined {
    return this.#state.status === 'starting' || this.#state.status === 'unhealthy' ? this.#state.gate : undefined;
  }

  observed(seen: ContainerObservation, now: number): void {
    const { record, restarted } = noteRestarts(this.#record, seen, now);
    this.#record = record;
    switch (this.#state.status) {
      case 'pending':
        this.#verify(seen, now, this.#state.deadlineAt);
        return;
      case 'error':
        this.#comeBack(seen, now, this.#state.looping);
        return;
      default:
        this.#operate(seen, restarted, now);
    }
  }

  /** A finding of the readiness probe in the gate of that number. */
  probed(gateNumber: number, finding: ReadinessFinding): void {
    const { gate } = this;
    if (gate === undefined || gate.number !== gateNumber) return;
    if (finding.outcome === 'passed') this.#state = { status: 'running', validated: true, message: undefined };
    else if (finding.outcome === 'failed') this.#in({ ...gate, lastFailure: finding.message });
    else this.#state = { status: 'running', validated: false, message: `not validated: ${finding.message}` };
  }

  /** The gate's deadline has come. (That of the startup is looked at with the poll that it ends with.) */
  overdue(now: number): void {
    if (this.#state.status !== 'starting' || now < this.#state.gate.deadlineAt) return;
    const { gate } = this.#state;
    if (!gate.up) return;
    this.#state = { status: 'unhealthy', gate, message: this.#notReady(gate) };
  }

  #verify(seen: ContainerObservation, now: number, deadlineAt: number): void {
    if (isUp(seen)) this.#enterGate(seen, now);
    else if (isOver(seen)) this.#fail(seen, false);
    else if (now >= deadlineAt) this.#fail(seen, seen.status === 'restarting');
  }

  #operate(seen: ContainerObservation, restarted: boolean, now: number): void {
    // A container that is being removed still is what it was; one that could not be looked at, too.
    if (seen.status === 'unknown' || seen.status === 'removing') return;
    if (isOver(seen) || seen.status === 'missing') this.#fail(seen, false);
    else if (restarted && isLooping(this.#record, now, this.#rules)) this.#fail(seen, true);
    else if (restarted || (seen.status === 'created' && this.gate?.up !== false)) this.#enterGate(seen, now);
    else this.#pass(seen, now);
  }

  /** In the gate, or beyond it, and nothing has happened to the container. */
  #pass(seen: ContainerObservation, now: number): void {
    const { gate } = this;
    if (gate === undefined) return;
    const runningSince = seen.status === 'running' ? (gate.runningSince ?? now) : undefined;
    // The readiness timeout counts from here.
    if (!gate.up && isUp(seen)) this.#enterGate(seen, now);
    // Down all along, as one that was created and never started: no gate to fail at.
    else if (!gate.up && now >= gate.deadlineAt) this.#fail(seen, false);
    else if (!this.#rules.probed && isSecondPoll(runningSince, now, this.#rules)) {
      this.#state = { status: 'running', validated: false, message: undefined };
    } else this.#in({ ...gate, up: isUp(seen), runningSince });
  }

  #comeBack(seen: ContainerObservation, now: number, looping: boolean): void {
    if (isUp(seen)) {
      if (!looping || isCalm(this.#record, now, this.#rules)) this.#enterGate(seen, now);
    } else if (isOver(seen) || seen.status === 'missing') this.#fail(seen, false);
    else if (seen.status === 'restarting' && isLooping(this.#record, now, this.#rules)) this.#fail(seen, true);
  }

  #enterGate(seen: ContainerObservation, now: number): void {
    const gate: Gate = {
      number: ++this.#gates,
      deadlineAt: now + this.#rules.readinessTimeoutMs,
      up: isUp(seen),
      runningSince: seen.status === 'running' ? now : undefined,
      lastFailure: undefined,
    };
    this.#state = { status: 'starting', gate };
  }

  #in(gate: Gate): void {
    if (this.#state.status === 'starting') this.#state = { status: 'starting', gate };
    else if (this.#state.status === 'unhealthy')
      this.#state = { status: 'unhealthy', gate, message: this.#notReady(gate) };
  }

  #fail(seen: ContainerObservation, looping: boolean): void {
    const exitCode = looping ? this.#record.exitCode : endCode(seen);
    const message = looping || isOver(seen) ? describeEnd(seen, exitCode, looping) : describeWait(seen);
    this.#state = { status: 'error', exitCode, message, looping };
  }

  #notReady({ lastFailure }: Gate): string {
    const late = `not ready within ${this.#rules.readinessTimeoutMs} ms`;
    return lastFailure === undefined ? late : `${late}: ${lastFailure}`;
  }
}

/** Paused is up: its process is there. */
function isUp(seen: ContainerObservation): boolean {
  return seen.status === 'running' || seen.status === 'paused';
}

function endCode(seen: ContainerObservation): number | undefined {
  return 'exitCode' in seen && isOver(seen) ? seen.exitCode : undefined;
}

function isSecondPoll(runningSince: number | undefined, now: number, { pollIntervalMs }: LoopRules): boolean {
  return runningSince !== undefined && now - runningSince >= pollIntervalMs / 2;
}
