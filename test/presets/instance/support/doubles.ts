import type {
  ContainerObservation,
  ExecOutcome,
  FoundContainer,
  InstanceContainer,
  ReadinessFinding,
  ReadinessProbe,
} from '../../../../src/presets/instance/index.js';

/** A container that runs, with what a test changes of it. */
export function found(change: Partial<FoundContainer> = {}): FoundContainer {
  return {
    status: 'running',
    id: 'aaaa',
    exitCode: 0,
    outOfMemory: false,
    restartCount: 0,
    startedAt: '2024-01-01T00:00:01Z',
    ...change,
  };
}

export const UNREACHABLE: ContainerObservation = {
  status: 'unknown',
  reason: 'engine_unreachable',
  message: 'the container engine cannot be reached: ECONNREFUSED',
};

/** Answers looks from a list, the last one again and again, and commands from another. */
export class ScriptedContainer implements InstanceContainer {
  looks = 0;
  readonly commands: (readonly string[])[] = [];
  readonly signals: AbortSignal[] = [];

  constructor(
    public seen: readonly (ContainerObservation | (() => ContainerObservation | Promise<ContainerObservation>))[],
    public ends: readonly (ExecOutcome | (() => ExecOutcome | Promise<ExecOutcome>))[] = [ended(0)],
  ) {}

  async observe({ signal }: { signal: AbortSignal }): Promise<ContainerObservation> {
    this.signals.push(signal);
    return answer(this.seen, this.looks++);
  }

  async exec(command: readonly string[]): Promise<ExecOutcome> {
    this.commands.push(command);
    return answer(this.ends, this.commands.length - 1);
  }

  /** What it is from now on. */
  become(...seen: readonly ContainerObservation[]): void {
    this.seen = seen;
    this.looks = 0;
  }
}

export function ended(exitCode: number, stderr = '', stdout = ''): ExecOutcome {
  return { kind: 'ended', exitCode, stdout, stderr };
}

/** A probe that answers from a list, the last one again and again. */
export class ScriptedProbe implements ReadinessProbe {
  runs = 0;
  readonly signals: AbortSignal[] = [];

  constructor(public findings: readonly (ReadinessFinding | (() => ReadinessFinding | Promise<ReadinessFinding>))[]) {}

  async run({ signal }: { signal: AbortSignal }): Promise<ReadinessFinding> {
    this.signals.push(signal);
    return answer(this.findings, this.runs++);
  }
}

export const PASSED: ReadinessFinding = { outcome: 'passed' };
export const FAILED: ReadinessFinding = { outcome: 'failed', message: 'not yet' };

async function answer<Value extends object>(
  list: readonly (Value | (() => Value | Promise<Value>))[],
  index: number,
): Promise<Value> {
  const one = list[Math.min(index, list.length - 1)];
  if (one === undefined) throw new Error('the script is empty');
  return typeof one === 'function' ? one() : one;
}

export interface Deferred<Value> {
  readonly promise: Promise<Value>;
  resolve(value: Value): void;
  reject(error: unknown): void;
}

export function deferred<Value>(): Deferred<Value> {
  let resolve: Deferred<Value>['resolve'] = () => {};
  let reject: Deferred<Value>['reject'] = () => {};
  const promise = new Promise<Value>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}
