import fc from 'fast-check';
import { expect, it } from 'vitest';
import { HealthPoller, type SnapshotFetch } from '../../src/client/index.js';
import { FakeClock } from '../../src/testing/index.js';
import { judge, type Sighting } from './support/consumer-model.js';
import { fakeSockets } from './support/fake-socket.js';
import { type Kind, text, wire } from './support/snapshots.js';
import { record } from './support/stage.js';

const INTERVAL_MS = 1000;
const TIMEOUT_MS = 700;
const MAX_BACKOFF_MS = 4000;
const LOST_AFTER_MS = 9000;

type Answers = Kind | 'refused' | 'garbage' | 'hangs';

/** How the instance is for a while. */
interface Spell {
  readonly answers: Answers;
  readonly latencyMs: number;
  readonly forMs: number;
  /** Where the wall clock is set to at its beginning. */
  readonly wallMs: number | undefined;
}

const spell: fc.Arbitrary<Spell> = fc.record({
  answers: fc.constantFrom<Answers>(
    'healthy',
    'healthy',
    'degraded',
    'old-restart',
    'dead',
    'mute',
    'provisioning',
    'refused',
    'refused',
    'garbage',
    'hangs',
  ),
  latencyMs: fc.constantFrom(0, 1, 300, 699, 701, 5000),
  forMs: fc.constantFrom(0, 1, 999, 1000, 1001, 5000, 8999, 9000, 20_000),
  wallMs: fc.option(fc.constantFrom(0, 1e12, 4e12), { nil: undefined, freq: 3 }),
});

/** What a try that began then will be seen as, and when; written from the outside, of the world alone. */
interface Try {
  readonly beganAtMs: number;
  readonly answers: Answers;
  readonly latencyMs: number;
}

function probesOf(kind: Kind): NonNullable<Sighting['probes']> {
  const { startup, readiness, liveness, phase } = wire(kind) as Record<string, { ok: boolean }> & { phase?: string };
  const ok = (probe: { ok: boolean } | undefined): boolean => probe?.ok === true;
  return { startup: ok(startup), readiness: ok(readiness), liveness: ok(liveness), phase };
}

function sightingOf({ beganAtMs, answers, latencyMs }: Try): Sighting {
  const late = answers === 'hangs' || latencyMs > TIMEOUT_MS;
  const atMs = beganAtMs + (late ? TIMEOUT_MS : latencyMs);
  if (late || answers === 'refused' || answers === 'garbage') return { atMs };
  return { atMs, probes: probesOf(answers) };
}

/** An instance that is as `now` says when it is asked, and notes what was asked. */
function instance(clock: FakeClock) {
  const tries: Try[] = [];
  const now = { answers: 'healthy' as Answers, latencyMs: 0 };
  let open = 0;
  const fetch: SnapshotFetch = (_, { signal }) => {
    const { answers, latencyMs } = now;
    tries.push({ beganAtMs: clock.now(), answers, latencyMs });
    expect(++open).toBe(1);
    return new Promise((resolve, reject) => {
      let timer: unknown;
      const settle = (act: () => void) => () => {
        clock.clearTimeout(timer);
        open--;
        act();
      };
      signal.addEventListener(
        'abort',
        settle(() => reject(signal.reason)),
        { once: true },
      );
      if (answers === 'hangs') return;
      const answer = (): void => {
        if (answers === 'refused') reject(new Error('refused'));
        else resolve(new Response(answers === 'garbage' ? '<html>' : text(answers)));
      };
      if (latencyMs === 0) settle(answer)();
      else timer = clock.setTimeout(() => !signal.aborted && settle(answer)(), latencyMs, { keepAlive: false });
    });
  };
  return { fetch, tries, now };
}

/** When the tries must have begun, from what each of them came to. */
function schedule(sightings: readonly Sighting[]): number[] {
  const begins = [0];
  let failures = 0;
  for (const [index, { atMs, probes }] of sightings.entries()) {
    failures = probes === undefined ? failures + 1 : 0;
    const delayMs = failures === 0 ? INTERVAL_MS : Math.min(MAX_BACKOFF_MS, INTERVAL_MS * 2 ** (failures - 1));
    const seen = sightings.slice(0, index + 1);
    const aliveAtMs = seen.findLast((sighting) => sighting.probes?.liveness === true)?.atMs ?? 0;
    const { lost } = judge(seen, 0, LOST_AFTER_MS);
    begins.push(lost ? atMs + delayMs : Math.min(atMs + delayMs, aliveAtMs + LOST_AFTER_MS));
  }
  return begins;
}

/** The events that the sightings must have led to. */
const eventsOf = (sightings: readonly Sighting[]): string[] =>
  sightings.flatMap(({ atMs, probes }, index) => {
    const { events } = judge(sightings.slice(0, index + 1), 0, LOST_AFTER_MS);
    return [probes === undefined ? 'unreachable' : 'snapshot', ...events].map((name) => `${atMs} ${name}`);
  });

it('keeps to the model of the consumer contract by HTTP, through outages, flips, slow answers and clock steps', async () => {
  const play = async (spells: readonly Spell[]): Promise<void> => {
    const clock = new FakeClock();
    const { fetch, tries, now } = instance(clock);
    const poller = new HealthPoller({
      url: 'http://w.test',
      webSocket: false,
      fetch,
      clock,
      jitter: 0,
      intervalMs: INTERVAL_MS,
      timeoutMs: TIMEOUT_MS,
      maxBackoffMs: MAX_BACKOFF_MS,
      lostAfterMs: LOST_AFTER_MS,
    });
    const lines = record(poller, clock);
    Object.assign(now, spells[0]);
    poller.start();
    for (const { answers, latencyMs, forMs, wallMs } of spells) {
      Object.assign(now, { answers, latencyMs });
      if (wallMs !== undefined) clock.setWall(wallMs);
      await clock.advance(forMs);
    }
    const sightings = tries.map(sightingOf).filter(({ atMs }) => atMs <= clock.now());
    expect(lines).toEqual(eventsOf(sightings));
    expect(tries.map(({ beganAtMs }) => beganAtMs)).toEqual(
      schedule(sightings).filter((beganAtMs) => beganAtMs <= clock.now()),
    );
    const { instanceStatus, reachable, lost, verdict } = poller.state;
    const { events: _, ...judged } = judge(sightings, 0, LOST_AFTER_MS);
    if (sightings.length > 0) expect({ status: instanceStatus, reachable, lost, verdict }).toEqual(judged);
    await poller.stop();
    expect(clock.pending).toBe(0);
  };
  await fc.assert(
    fc.asyncProperty(fc.array(spell, { minLength: 1, maxLength: 12 }), (spells) => play(spells)),
    { numRuns: 300 },
  );
}, 120_000);

type Step =
  | { readonly do: 'wait'; readonly ms: number }
  | { readonly do: 'open' }
  | { readonly do: 'break' }
  | { readonly do: 'garbage' }
  | { readonly do: 'say'; readonly kind: Kind }
  | { readonly do: 'http'; readonly answers: Answers };

const kind = fc.constantFrom<Kind>('healthy', 'healthy', 'degraded', 'dead', 'provisioning');
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constant('wait' as const), ms: fc.constantFrom(1, 500, 1000, 3000, 5000) }),
  fc.constantFrom<Step>({ do: 'open' }, { do: 'open' }, { do: 'break' }, { do: 'garbage' }),
  { weight: 2, arbitrary: fc.record({ do: fc.constant('say' as const), kind }) },
  fc.record({
    do: fc.constant('http' as const),
    answers: fc.constantFrom<Answers>('healthy', 'dead', 'refused', 'hangs'),
  }),
);

it('tells the same story by WebSocket, whatever breaks, and is never long without looking', async () => {
  const play = async (steps: readonly Step[]): Promise<void> => {
    const clock = new FakeClock();
    const { fetch, now } = instance(clock);
    const { WebSocket, made } = fakeSockets();
    const poller = new HealthPoller({
      url: 'http://w.test',
      webSocket: WebSocket,
      fetch,
      clock,
      jitter: 0,
      intervalMs: INTERVAL_MS,
      timeoutMs: TIMEOUT_MS,
      maxBackoffMs: MAX_BACKOFF_MS,
      lostAfterMs: LOST_AFTER_MS,
    });
    const lines = record(poller, clock);
    const sightings: Sighting[] = [];
    poller.on('snapshot', ({ snapshot: { startup, readiness, liveness, phase } }) => {
      sightings.push({
        atMs: clock.now(),
        probes: { startup: startup.ok, readiness: readiness.ok, liveness: liveness.ok, phase },
      });
    });
    poller.on('unreachable', () => sightings.push({ atMs: clock.now() }));
    poller.start();
    for (const next of steps) {
      const socket = made.at(-1);
      const before = sightings.length;
      if (next.do === 'wait') await clock.advance(next.ms);
      else if (next.do === 'http') Object.assign(now, { answers: next.answers });
      else if (next.do === 'open') socket?.open();
      else if (next.do === 'break') socket?.break();
      else if (next.do === 'garbage') socket?.say('{"__proto__":{"ok":true}}');
      else {
        socket?.say(text(next.kind));
        // Who is heard is who is in use.
        if (sightings.length > before) expect(poller.state.transport).toBe('websocket');
      }
      const inUse = made.filter((each) => each.done.length === 0 && each.listeners('close') > 0);
      expect(inUse.length).toBeLessThanOrEqual(1);
    }
    // Three intervals and a timeout for the silence, the backoff, and a try.
    const patienceMs = 3 * INTERVAL_MS + TIMEOUT_MS + MAX_BACKOFF_MS + TIMEOUT_MS;
    await clock.advance(patienceMs);
    const moments = [0, ...sightings.map(({ atMs }) => atMs), clock.now()];
    for (const [index, atMs] of moments.entries()) {
      expect(atMs - (moments[index - 1] ?? 0)).toBeLessThanOrEqual(patienceMs);
    }
    expect(lines).toEqual(eventsOf(sightings));
    await poller.stop();
    expect(clock.pending).toBe(0);
    expect(made.filter((each) => each.listeners('close') > 0)).toEqual([]);
  };
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), (steps) => play(steps)),
    { numRuns: 200 },
  );
}, 120_000);
