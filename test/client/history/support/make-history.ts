import { SnapshotHistory, type SnapshotHistoryOptions, type SnapshotRow } from '../../../../src/client/index.js';
import { FakeClock, seededRandom } from '../../../../src/testing/index.js';
import { FlakyStore } from './flaky-store.js';
import { snapshotOf, T0 } from './rows.js';

const EVENTS = ['dropped', 'failed', 'recovered', 'written', 'pruned'] as const;

/** A history over a store that does as it is told, with what it tells as lines. */
export function makeHistory(options: Omit<SnapshotHistoryOptions, 'store'> = {}, store = new FlakyStore()) {
  const clock = new FakeClock({ wallMs: T0 });
  const history = new SnapshotHistory({ store, clock, random: seededRandom(1), ...options });
  const lines: string[] = [];
  for (const name of EVENTS) history.on(name, (event) => lines.push(lineOf(name, event)));
  let recorded = 0;
  /** Records rows of an instance, a millisecond apart; each has its number as its latency. */
  const record = async (count: number, instanceId = 'i') => {
    for (let n = 0; n < count; n++) {
      recorded++;
      history.record(instanceId, {
        ...snapshotOf(),
        startup: { ok: true, status: 'success', latencyMs: recorded - 2 },
      });
      clock.freeze(1);
    }
    await clock.advance(0);
  };
  const kept = async (instanceId = 'i') => numbersOf(await store.rows(instanceId));
  return { clock, store, history, lines, record, kept };
}

/** The numbers that `record` gave them. */
const numbersOf = (rows: readonly SnapshotRow[]) => rows.map(({ latencyMs }) => latencyMs);

function lineOf(name: string, event: object): string {
  const shown = Object.entries(event).map(([key, value]) => {
    if (key === 'row') return `row=${(value as SnapshotRow).latencyMs}`;
    if (value instanceof Error) return `error=${value.message}`;
    return `${key}=${typeof value === 'number' ? Math.round(value) : String(value)}`;
  });
  return [name, ...shown].join(' ');
}
