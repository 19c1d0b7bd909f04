import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type RecreatePolicy, shouldRecreateTunnel, type TunnelRecord } from '../../../src/presets/instance/index.js';
import { TunnelSpell } from '../../../src/presets/instance/tunnel-spell.js';

const broken = (at: number, change: Partial<TunnelRecord> = {}): TunnelRecord => ({
  at,
  tunnel: 'tunnel_error',
  container: 'running',
  starting: false,
  ...change,
});
const three = [broken(0), broken(10_000), broken(20_000)];

describe('shouldRecreateTunnel', () => {
  it.each<[string, readonly TunnelRecord[], RecreatePolicy, boolean]>([
    ['no look', [], {}, false],
    ['two errors in a row', three.slice(1), {}, false],
    ['three errors in a row', three, {}, true],
    ['three errors after others', [broken(-1, { tunnel: 'healthy' }), ...three], {}, true],
    ['one, where one is enough', [broken(0)], { failures: 1 }, true],
    ['three, where four are wanted', three, { failures: 4 }, false],
    ['an application error in between', [broken(0), broken(1, { tunnel: 'app_error' }), broken(2)], {}, false],
    ['a look that could not be taken in between', [broken(0), broken(1, { tunnel: 'unknown' }), broken(2)], {}, false],
    ['a certificate', [broken(0, { tunnel: 'tls_error' })], { failures: 1 }, false],
    [
      'a container that did not run at one of them',
      [broken(0), broken(1, { container: 'exited' }), broken(2)],
      {},
      false,
    ],
    ['a container that could not be looked at', [broken(0, { container: 'unknown' })], { failures: 1 }, false],
    ['a paused container', [broken(0, { container: 'paused' })], { failures: 1 }, false],
    ['an instance that was starting', [broken(0, { starting: true }), broken(1), broken(2)], {}, false],
  ])('after %s', (_, records, policy, expected) => {
    expect(shouldRecreateTunnel({ records }, policy)).toBe(expected);
  });

  it.each([
    [79_999, 60_000, false],
    [80_000, 60_000, true],
    [20_000, 0, true],
  ])('leaves a recreated tunnel alone for the gap: at %d with a gap of %d', (at, minGapMs, expected) => {
    const records = [broken(at - 2), broken(at - 1), broken(at)];
    expect(shouldRecreateTunnel({ records, lastRecreatedAt: 20_000 }, { minGapMs })).toBe(expected);
  });

  it.each([[{ failures: 0 }], [{ failures: 1.5 }], [{ minGapMs: -1 }], [{ failure: 3 }]])('refuses %j', (policy) => {
    expect(() => shouldRecreateTunnel({ records: [] }, policy as RecreatePolicy)).toThrow(
      expect.objectContaining({ code: 'invalid_option' }),
    );
  });

  it('holds only where the last looks, all of them, found the tunnel broken under a container that ran', () => {
    const record = fc.record({
      at: fc.nat(100_000),
      tunnel: fc.constantFrom('healthy' as const, 'tunnel_error' as const, 'unknown' as const),
      container: fc.constantFrom('running' as const, 'exited' as const),
      starting: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(record, { maxLength: 8 }), fc.integer({ min: 1, max: 4 }), (records, failures) => {
        const row = records.slice(-failures);
        const expected =
          row.length === failures &&
          row.every((one) => one.tunnel === 'tunnel_error' && one.container === 'running' && !one.starting);
        expect(shouldRecreateTunnel({ records }, { failures })).toBe(expected);
      }),
    );
  });
});

describe('a spell of tunnel errors', () => {
  const tell = (spell: TunnelSpell, records: readonly TunnelRecord[]) => records.map((record) => spell.note(record));

  it('is told once, when its row is complete', () => {
    const spell = new TunnelSpell({ failures: 2, minGapMs: 0 }, 0);
    expect(tell(spell, [broken(0), broken(1), broken(2), broken(3)])).toEqual([false, true, false, false]);
  });

  it('ends with any other look, but not with one that could not be taken', () => {
    const spell = new TunnelSpell({ failures: 1, minGapMs: 0 }, 0);
    const looks = (['tunnel_error', 'unknown', 'tunnel_error', 'app_error', 'tunnel_error'] as const).map(
      (tunnel, at) => broken(at, { tunnel }),
    );
    expect(tell(spell, looks)).toEqual([true, false, false, false, true]);
  });

  it('is told after the gap, where it begins within it', () => {
    const spell = new TunnelSpell({ failures: 1, minGapMs: 100 }, 0);
    const looks = [broken(0), broken(10, { tunnel: 'healthy' }), broken(20), broken(99), broken(100), broken(200)];
    expect(tell(spell, looks)).toEqual([true, false, false, false, true, false]);
  });

  it('is no row of looks right after one another', () => {
    const spell = new TunnelSpell({ failures: 3, minGapMs: 0 }, 50);
    expect(tell(spell, [broken(0), broken(1), broken(2), broken(50), broken(99), broken(100)])).toEqual([
      false,
      false,
      false,
      false,
      false,
      true,
    ]);
  });

  it('ends with another tunnel, which is left alone for the gap', () => {
    const spell = new TunnelSpell({ failures: 2, minGapMs: 100 }, 0);
    expect(tell(spell, [broken(0), broken(1)])).toEqual([false, true]);
    spell.renewed(200);
    expect(tell(spell, [broken(201), broken(299), broken(300)])).toEqual([false, false, true]);
  });
});
