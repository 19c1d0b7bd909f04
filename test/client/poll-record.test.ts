import { describe, expect, it } from 'vitest';
import { type PollOutcome, type PollRecord, type PollRule, recordPoll, startRecord } from '../../src/client/index.js';
import { type Kind, snapshotOf } from './support/snapshots.js';

type Step = readonly [atMs: number, what: Kind | 'unreachable', transitions?: string];

const outcomeOf = (what: Kind | 'unreachable'): PollOutcome =>
  what === 'unreachable' ? { ok: false, error: 'no answer' } : { ok: true, snapshot: snapshotOf(what) };

function play(steps: readonly Step[], rule: PollRule = {}, record = startRecord(0)): PollRecord {
  let current = record;
  for (const [atMs, what, expected = ''] of steps) {
    const [next, transitions] = recordPoll(current, outcomeOf(what), atMs, rule);
    expect(`${atMs} ${what}: ${transitions.join(' ')}`).toBe(`${atMs} ${what}: ${expected}`);
    current = next;
  }
  return current;
}

const MIN = 60_000;

describe('the status', () => {
  it('is provisioning before the first try, and after whatever is not healthy', () => {
    expect(startRecord(7)).toEqual({
      instanceStatus: 'provisioning',
      reachable: false,
      degraded: false,
      lost: false,
      aliveAtMs: 7,
      changedAtMs: 7,
    });
    for (const kind of ['cold', 'provisioning', 'degraded', 'dead', 'old-restart', 'unreachable'] as const) {
      expect(play([[1, kind]]).instanceStatus).toBe('provisioning');
    }
  });

  it('is running from the first healthy snapshot on, whatever comes', () => {
    const record = play([
      [0, 'provisioning'],
      [1, 'healthy', 'running'],
      [2, 'healthy'],
      [3, 'degraded', 'degraded'],
      [4, 'cold'],
      [5, 'unreachable'],
      [5 * MIN + 2, 'unreachable', ''],
      [5 * MIN + 3, 'unreachable', 'lost'],
    ]);
    expect(record.instanceStatus).toBe('running');
  });

  it('is running at once where it is known to have run before', () => {
    expect(play([[1, 'healthy']], {}, startRecord(0, 'running')).instanceStatus).toBe('running');
    play(
      [
        [1, 'cold', 'degraded'],
        [2, 'healthy', 'recovered'],
      ],
      {},
      startRecord(0, 'running'),
    );
  });
});

describe('degraded and recovered', () => {
  it('come once for each spell', () => {
    play([
      [0, 'healthy', 'running'],
      [1, 'degraded', 'degraded'],
      [2, 'dead'],
      [3, 'degraded'],
      [4, 'healthy', 'recovered'],
      [5, 'healthy'],
      [6, 'dead', 'degraded'],
    ]);
  });

  it('come for an older gateway too, which sends no phase while it restarts', () => {
    const record = play([
      [0, 'healthy', 'running'],
      [1, 'old-restart', 'degraded'],
    ]);
    expect(record.verdict).toBe('provisioning');
    expect(record.degraded).toBe(true);
  });

  it('do not come of an instance that is unreachable: nobody knows', () => {
    const record = play([
      [0, 'healthy', 'running'],
      [1, 'unreachable'],
      [2, 'healthy'],
      [3, 'degraded', 'degraded'],
      [4, 'unreachable'],
      [5, 'degraded'],
      [6, 'unreachable'],
      [7, 'healthy', 'recovered'],
    ]);
    expect(record.reachable).toBe(true);
  });

  it('do not come before it has run', () => {
    play([
      [0, 'degraded'],
      [1, 'dead'],
      [2, 'healthy', 'running'],
    ]);
  });
});

describe('lost', () => {
  it('is what nobody has seen alive for five minutes, counted from the last time', () => {
    play([
      [0, 'healthy', 'running'],
      [1000, 'unreachable'],
      [5 * MIN - 1, 'unreachable'],
      [5 * MIN, 'unreachable', 'lost'],
      [6 * MIN, 'unreachable'],
      [7 * MIN, 'healthy', 'found'],
      [12 * MIN - 1, 'dead', 'degraded'],
      [12 * MIN, 'dead', 'lost'],
    ]);
  });

  it('is counted from the beginning where it was never alive', () => {
    play(
      [
        [1000, 'unreachable'],
        [5 * MIN + 499, 'cold'],
        [5 * MIN + 500, 'cold', 'lost'],
      ],
      {},
      startRecord(500),
    );
  });

  it('comes after what else has happened, and found before it', () => {
    play([
      [0, 'healthy', 'running'],
      [5 * MIN, 'dead', 'degraded lost'],
      [6 * MIN, 'healthy', 'found recovered'],
    ]);
    play([
      [5 * MIN, 'unreachable', 'lost'],
      [5 * MIN + 1, 'healthy', 'found running'],
    ]);
  });

  it('ends as soon as it is alive, healthy or not', () => {
    play([
      [5 * MIN, 'unreachable', 'lost'],
      [5 * MIN + 1, 'provisioning', 'found'],
    ]);
  });

  it('comes of a gateway that says it is ready, but not alive', () => {
    play([
      [0, 'mute', 'running'],
      [5 * MIN, 'mute', 'lost'],
    ]);
  });

  it('comes after lostAfterMs', () => {
    play(
      [
        [999, 'unreachable'],
        [1000, 'unreachable', 'lost'],
      ],
      { lostAfterMs: 1000 },
    );
  });

  it('does not come of time alone: after a standstill somebody looks first', () => {
    play([
      [0, 'healthy', 'running'],
      [60 * MIN, 'healthy'],
    ]);
  });

  it('does not come of a clock that goes back', () => {
    const record = play([
      [10 * MIN, 'healthy', 'running'],
      [0, 'unreachable'],
      [15 * MIN - 1, 'unreachable'],
    ]);
    expect(record.lost).toBe(false);
  });
});

describe('the record', () => {
  it('says when verdict, reachable or lost last changed', () => {
    const changed = (steps: readonly Step[]) => play(steps).changedAtMs;
    expect(changed([[5, 'unreachable']])).toBe(0);
    expect(changed([[5, 'provisioning']])).toBe(5);
    const running: Step[] = [
      [5, 'healthy', 'running'],
      [6, 'healthy'],
    ];
    expect(changed(running)).toBe(5);
    expect(changed([...running, [7, 'unreachable'], [8, 'unreachable']])).toBe(7);
    expect(changed([...running, [7, 'degraded', 'degraded'], [8, 'dead']])).toBe(7);
    expect(changed([...running, [7, 'unreachable'], [5 * MIN + 6, 'unreachable', 'lost']])).toBe(5 * MIN + 6);
  });

  it('keeps the verdict of an instance that is unreachable, and has none before the first snapshot', () => {
    expect(
      play([
        [0, 'healthy', 'running'],
        [1, 'unreachable'],
      ]),
    ).toMatchObject({ verdict: 'healthy', reachable: false });
    expect(play([[1, 'unreachable']])).not.toHaveProperty('verdict');
  });

  it('survives a way through JSON, so that another worker goes on with it', () => {
    const before = play([
      [0, 'healthy', 'running'],
      [1, 'degraded', 'degraded'],
    ]);
    play([[2, 'healthy', 'recovered']], {}, JSON.parse(JSON.stringify(before)));
  });

  it('is made anew, never changed', () => {
    const before = Object.freeze(startRecord(0));
    const [after] = recordPoll(before, outcomeOf('healthy'), 1);
    expect(before).toEqual(startRecord(0));
    expect(after).not.toBe(before);
  });
});
