import {
  HealthMonitor,
  type HealthMonitorOptions,
  HealthPoller,
  type HealthPollerOptions,
  type PollerEventName,
  type PollerEvents,
  type SnapshotFetch,
  type SnapshotFetchInit,
} from '../../../src/client/index.js';
import { FakeClock } from '../../../src/testing/index.js';
import { type Kind, text } from './snapshots.js';

/** How the instance answers: a snapshot, a response, an error, or not before the test says so. */
export type Answer = Kind | Response | Error | 'hangs';

export interface Asked {
  readonly url: string;
  readonly init: SnapshotFetchInit;
  readonly at: number;
  /** For one that hangs. */
  readonly answer: (answer: Exclude<Answer, 'hangs'>) => void;
}

const EVENTS: readonly PollerEventName[] = [
  'snapshot',
  'unreachable',
  'running',
  'degraded',
  'recovered',
  'lost',
  'found',
];

const responseOf = (answer: Kind | Response): Response =>
  answer instanceof Response ? answer : new Response(text(answer));

/** An instance that answers as it is told to, and what was asked of it. */
export function world(clock: FakeClock, first: Answer = 'healthy') {
  const asked: Asked[] = [];
  const state = { answer: first, open: 0, mostOpen: 0 };
  const fetch: SnapshotFetch = (url, init) =>
    new Promise<Response>((resolve, reject) => {
      state.open++;
      state.mostOpen = Math.max(state.mostOpen, state.open);
      let over = false;
      const end = (settle: () => void): void => {
        if (over) return;
        over = true;
        state.open--;
        settle();
      };
      const answer = (given: Exclude<Answer, 'hangs'>): void =>
        end(() => (given instanceof Error ? reject(given) : resolve(responseOf(given))));
      asked.push({ url, init, at: clock.now(), answer });
      init.signal.addEventListener('abort', () => end(() => reject(init.signal.reason)));
      if (state.answer !== 'hangs') answer(state.answer);
    });
  return { fetch, asked, state, times: () => asked.map(({ at }) => at) };
}

export const REFUSED = Object.assign(new TypeError('fetch failed'), {
  cause: Object.assign(new Error('connect ECONNREFUSED http://user:s3cret@10.0.0.1'), { code: 'ECONNREFUSED' }),
});

type Source = {
  on<Name extends PollerEventName>(name: Name, listener: (event: PollerEvents[Name]) => unknown): () => void;
};

/** The names of all events, with the moment and, where `ids`, the instance. */
export function record(source: Source, clock: FakeClock, ids = false): string[] {
  const lines: string[] = [];
  for (const name of EVENTS) {
    source.on(name, ({ instance }) => lines.push(`${clock.now()} ${name}${ids ? ` ${instance}` : ''}`));
  }
  return lines;
}

/** A poller by HTTP, without jitter. */
export function pollerStage(options: Partial<HealthPollerOptions> = {}, first: Answer = 'healthy') {
  const clock = new FakeClock();
  const instance = world(clock, first);
  const poller = new HealthPoller({
    url: 'http://worker.test',
    id: 'worker',
    fetch: instance.fetch,
    clock,
    jitter: 0,
    webSocket: false,
    ...options,
  });
  return { clock, poller, ...instance, lines: record(poller, clock) };
}

export function monitorStage(options: HealthMonitorOptions = {}, first: Answer = 'healthy') {
  const clock = new FakeClock();
  const instances = world(clock, first);
  const monitor = new HealthMonitor({ fetch: instances.fetch, clock, jitter: 0, ...options });
  return { clock, monitor, ...instances, lines: record(monitor, clock, true) };
}
