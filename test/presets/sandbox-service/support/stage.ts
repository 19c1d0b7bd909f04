import { Duplex } from 'node:stream';
import {
  type ExposedService,
  type ExposeRequest,
  type RelayTarget,
  SandboxServices,
  type SandboxServicesOptions,
  type ServiceHealth,
} from '../../../../src/presets/sandbox-service/index.js';
import { FakeClock } from '../../../../src/testing/index.js';

/** The service's end of a connection, in memory: what was sent, and a way to answer. */
export class Line extends Duplex {
  sent = '';

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.sent += chunk.toString('latin1');
    done();
  }

  answer(status: number): void {
    this.push(`HTTP/1.1 ${status} Text\r\nContent-Length: 0\r\n\r\n`);
  }
}

/** One call of the relay, held open until the test says how it ends. */
export class RelayCall {
  readonly target: RelayTarget;
  readonly signal: AbortSignal;
  readonly line = new Line();
  readonly stream: Promise<Duplex>;
  /** Resolves with this, or with the line. */
  connect: (stream?: unknown) => void = () => {};
  fail: (error: unknown) => void = () => {};
  #ended = false;

  constructor(target: RelayTarget, signal: AbortSignal) {
    this.target = target;
    this.signal = signal;
    this.stream = new Promise((resolve, reject) => {
      this.connect = (stream = this.line) => resolve(stream as Duplex);
      this.fail = reject;
    });
  }

  /** Whether its attempt still waits for it. */
  get open(): boolean {
    return !this.#ended && !this.signal.aborted;
  }

  answer(status: number): void {
    this.#ended = true;
    this.connect();
    this.line.answer(status);
  }

  refuse(code = 'ECONNREFUSED'): void {
    this.#ended = true;
    this.fail(Object.assign(new Error('connect to 10.0.0.5 as admin'), { code }));
  }
}

const ID = { workspace: 'team', sandbox: 'box', service: 'web' };

/** How an attempt ends: with a status, or without one. */
export type Ending = number | 'refused' | 'inconclusive';

/** Services on a fake clock, behind a relay whose calls the test answers. */
export class Stage {
  readonly clock = new FakeClock();
  readonly calls: RelayCall[] = [];
  readonly changes: string[] = [];
  readonly services: SandboxServices;
  readonly box: ReturnType<SandboxServices['sandbox']>;

  constructor(options: SandboxServicesOptions = {}) {
    const relay = (target: RelayTarget, signal: AbortSignal): Promise<Duplex> => {
      const call = new RelayCall(target, signal);
      this.calls.push(call);
      return call.stream;
    };
    this.services = new SandboxServices({ clock: this.clock, relay, ...options });
    this.box = this.services.sandbox(ID.workspace, ID.sandbox);
    this.services.on('change', ({ from, to }) => this.changes.push(`${from} > ${to}`));
  }

  expose(more: Partial<ExposeRequest> = {}): ExposedService {
    return this.services.expose({ ...ID, port: 8080, ...more });
  }

  /** One service, exposed and observed. */
  observe(more: Partial<ExposeRequest> = {}): void {
    this.expose(more);
    this.box.ready('runtime-1');
  }

  get last(): RelayCall {
    const call = this.calls.at(-1);
    if (call === undefined) throw new Error('the relay was not called');
    return call;
  }

  get health(): ServiceHealth {
    const service = this.services.get(ID);
    if (service === undefined) throw new Error('the service is not exposed');
    return service.health;
  }

  /** Lets everything run that needs no time. */
  settle(): Promise<void> {
    return this.clock.advance(0);
  }

  /** The attempt under way ends so. */
  async ends(how: Ending): Promise<void> {
    if (typeof how === 'number') this.last.answer(how);
    else this.last.refuse(how === 'refused' ? 'ECONNREFUSED' : 'relay_unavailable');
    await this.settle();
  }

  /** The next tick comes, and its attempt ends so. */
  async next(how: Ending, intervalMs = 5000): Promise<void> {
    const before = this.calls.length;
    await this.clock.advance(intervalMs);
    if (this.calls.length !== before + 1) throw new Error(`${this.calls.length - before} attempts in an interval`);
    await this.ends(how);
  }
}
