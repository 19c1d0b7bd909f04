import { describe, expect, it } from 'vitest';
import type { ServiceDescription, ServiceEvent } from '../../src/index.js';
import { never } from './support/deferred.js';
import { Stage, untilAborted } from './support/stage.js';
import { vectors } from './support/vectors.js';

interface Classified {
  readonly start: string;
  readonly runToCompletion?: boolean;
  readonly outcome: 'clean_start' | 'completed' | 'ended' | 'error';
  readonly restarted: boolean | string;
  readonly event?: string;
  readonly message?: string;
  readonly reason?: string;
}

interface Shutdown {
  readonly name: string;
  readonly register: readonly string[];
  readonly holds?: readonly string[];
  readonly holdTimeoutMs?: number;
  readonly shutdownTimeoutMs?: number;
  readonly stopCalls?: readonly string[];
  readonly stopCallsAtMs?: readonly number[];
  readonly stopErrors?: readonly string[];
  readonly unfinished?: readonly string[];
  readonly doneAtMs?: number;
}

const tables = vectors<{ classification: Classified[]; shutdown: Shutdown[] }>('restarts');

const expected = new Error('expected end');

const STARTS: Readonly<Record<string, ServiceDescription>> = {
  resolves: { start: async () => {} },
  'rejects after the controller aborted its signal': {
    start: untilAborted,
  },
  'rejects with an error accepted by validError': { start: () => Promise.reject(expected) },
  'rejects with an AbortError while its signal is live': {
    start: () => Promise.reject(new DOMException('This operation was aborted', 'AbortError')),
  },
  'rejects with any other error': { start: () => Promise.reject(new Error('no port')) },
  'throws synchronously': {
    start: () => {
      throw new Error('no port');
    },
  },
  'throws or rejects a value that is no Error': { start: () => Promise.reject('kaput') },
  'does not settle by startTimeoutMs': { start: never, startTimeoutMs: 2000 },
};

describe('vectors/restarts.json: how a run is classified', () => {
  it.each(tables.classification)('$start, run to completion $runToCompletion: $outcome', async (row) => {
    const description = STARTS[row.start];
    if (description === undefined) throw new Error(`no such start: ${row.start}`);
    const stage = new Stage({ validError: (error) => error === expected });
    const events: ServiceEvent[] = [];
    stage.controller.on('service', (event) => events.push(event));
    stage.service('api', { ...description, ...(row.runToCompletion && { runToCompletion: true }) });
    stage.controller.start();
    await stage.clock.advance(2000);
    if (row.start.includes('aborted its signal')) {
      stage.controller.stop();
      await stage.settle();
    }

    expect(events.map(({ kind }) => kind)).toEqual([row.event ?? 'unable_to_start']);
    const info = stage.controller.serviceInfo('api');
    expect(info?.up).toBe(row.outcome === 'clean_start');
    expect(info?.restartCount).toBe(0);
    const error = events[0]?.error;
    if (row.message !== undefined) expect(error).toMatchObject({ message: row.message.replace('<value>', 'kaput') });
    if (row.reason !== undefined) expect(error).toMatchObject({ code: row.reason });
    if (row.outcome === 'error') {
      expect(error).toBeInstanceOf(Error);
      expect(stage.controller.state).toBe('unable_to_start');
    }
    // Nothing restarts it: there is no policy.
    await stage.clock.advance(120_000);
    expect(stage.trace(/^start/)).toEqual(['start api']);
    await stage.close();
  });
});

// The row with a dependency, and all rows of the other tables, are in test/supervision.
const withoutDependencies = tables.shutdown.filter(
  ({ register }) => !register.some((text) => text.includes('dependsOn')),
);

describe('vectors/restarts.json: shutdown', () => {
  it.each(withoutDependencies)('$name', async (row) => {
    const { register, holds = [], holdTimeoutMs, shutdownTimeoutMs, unfinished = [], stopErrors = [] } = row;
    const stage = new Stage({ holdTimeoutMs, shutdownTimeoutMs });
    for (const text of register) registerStop(stage, text);
    await stage.start();
    for (const hold of holds) stage.controller.hold(hold);
    const stopped = stage.watch(stage.controller.stop());
    await stage.clock.advance(row.doneAtMs ?? 0);

    expect(stopped.value).toMatchObject({
      unfinished,
      stopErrors: stopErrors.map((service) => ({ service })),
      exitCode: unfinished.length + stopErrors.length > 0 ? 1 : 0,
      durationMs: row.doneAtMs ?? 0,
    });
    expect(stopped.atMs).toBe(row.doneAtMs ?? 0);
    if (row.stopCalls) expect(stage.trace(/^stop /)).toEqual(row.stopCalls.map((name) => `stop ${name}`));
    if (row.stopCallsAtMs) {
      expect(stage.timeline(/^stop /)).toEqual(row.stopCallsAtMs.map((at, i) => `${at} stop ${row.stopCalls?.[i]}`));
    }
    expect(stage.clock.pending).toBe(0);
  });
});

/** `name`, `name!throws`, `name!hangs`, `name!stop-takes-<ms>` or `name!start-never-settles`. */
function registerStop(stage: Stage, text: string): void {
  const [name = '', manner] = text.split('!');
  const takes = /^stop-takes-(\d+)$/.exec(manner ?? '')?.[1];
  if (manner === undefined) stage.service(name);
  else if (manner === 'start-never-settles') stage.service(name, { start: never });
  else if (manner === 'hangs') stage.service(name, { stop: never });
  else if (manner === 'throws') stage.service(name, { stop: () => Promise.reject(new Error('stuck')) });
  else if (takes !== undefined) stage.service(name, { stop: () => stage.lasting(Number(takes)) });
  else throw new Error(`no such manner: ${text}`);
}
