import fc from 'fast-check';
import { expect, it } from 'vitest';
import { HealthMonitor, type SnapshotFetch } from '../../src/client/index.js';
import { FakeClock, seededRandom } from '../../src/testing/index.js';
import { fakeSockets } from './support/fake-socket.js';
import { text } from './support/snapshots.js';

type Act = 'add' | 'remove' | 'answer' | 'refuse' | 'open' | 'say' | 'break';
type Step =
  | { readonly do: Act; readonly which: number }
  | { readonly do: 'start' | 'stop' }
  | { readonly do: 'wait'; readonly ms: number };

const which = fc.nat(5);
const on = (...names: readonly ('add' | 'remove' | 'open' | 'say' | 'break' | 'answer' | 'refuse')[]) =>
  fc.record({ do: fc.constantFrom(...names), which }) as fc.Arbitrary<Step>;
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: on('add', 'add', 'remove') },
  { weight: 4, arbitrary: on('answer', 'answer', 'refuse') },
  { weight: 3, arbitrary: on('open', 'say', 'say', 'break') },
  { weight: 1, arbitrary: fc.constantFrom<Step>({ do: 'start' }, { do: 'start' }, { do: 'stop' }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.constantFrom(0, 1, 500, 1000, 5000) }) },
);

const MOST = 2;

/** Answers that are given when the test says so. */
function heldAnswers() {
  const open: { readonly url: string; settle(response: Response | undefined): void }[] = [];
  const fetch: SnapshotFetch = (url, { signal }) =>
    new Promise((resolve, reject) => {
      const held = {
        url,
        settle(response: Response | undefined): void {
          open.splice(open.indexOf(held), 1);
          if (response === undefined) reject(new Error('refused'));
          else resolve(response);
        },
      };
      open.push(held);
      signal.addEventListener('abort', () => open.includes(held) && held.settle(undefined));
    });
  return { fetch, open };
}

it.each([false, true])(
  'never holds a place that nobody uses, whatever comes and goes (WebSocket: %s)',
  async (bySocket) => {
    const play = async (steps: readonly Step[]): Promise<void> => {
      const clock = new FakeClock();
      const { fetch, open } = heldAnswers();
      const { WebSocket, made } = fakeSockets();
      const monitor = new HealthMonitor({
        fetch,
        clock,
        webSocket: bySocket && WebSocket,
        random: seededRandom(1),
        maxConcurrent: MOST,
        intervalMs: 1000,
        timeoutMs: 700,
        maxBackoffMs: 2000,
      });
      const sockets = () => made.filter((socket) => socket.listeners('message') > 0);
      let started = false;
      const check = (): void => {
        expect(open.length).toBeLessThanOrEqual(MOST);
        const urls = open.map(({ url }) => url);
        expect(new Set(urls).size).toBe(urls.length);
        expect(new Set(sockets().map(({ url }) => url)).size).toBe(sockets().length);
        if (!started) expect([open.length, sockets().length]).toEqual([0, 0]);
      };
      for (const next of steps) {
        if (next.do === 'wait') await clock.advance(next.ms);
        else if (next.do === 'start') {
          started = true;
          monitor.start();
        } else if (next.do === 'stop') {
          started = false;
          await monitor.stop();
          expect(clock.pending).toBe(0);
        } else if (next.do === 'add') {
          const id = `i${next.which}`;
          if (monitor.get(id) === undefined) monitor.add({ id, url: `http://${id}.test` });
        } else if (next.do === 'remove') monitor.remove(`i${next.which}`);
        else if (next.do === 'answer') open[next.which % MOST]?.settle(new Response(text('healthy')));
        else if (next.do === 'refuse') open[next.which % MOST]?.settle(undefined);
        else if ('which' in next) {
          const alive = sockets();
          const socket = alive[next.which % Math.max(1, alive.length)];
          if (next.do === 'open') socket?.open();
          else if (next.do === 'say') socket?.say(text('healthy'));
          else socket?.break();
        }
        check();
      }
      // Whoever is left is looked at again, one way or the other: no place was lost on the way.
      await clock.advance(0);
      monitor.start();
      started = true;
      const seen = new Set<string>();
      monitor.on('snapshot', ({ instance }) => seen.add(instance));
      for (let i = 0; i < 40; i++) {
        for (const held of [...open]) held.settle(new Response(text('healthy')));
        await clock.advance(500);
        check();
      }
      expect([...seen].sort()).toEqual(
        monitor
          .list()
          .map(({ id }) => id)
          .sort(),
      );
      await monitor.stop();
      expect(clock.pending).toBe(0);
      expect([open.length, sockets().length]).toEqual([0, 0]);
    };
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 30 }), (steps) => play(steps)),
      { numRuns: 150 },
    );
  },
  120_000,
);
