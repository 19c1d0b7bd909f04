import { describe, expect, it } from 'vitest';
import { silentLogger } from '../../src/kit.js';
import { Section } from '../../src/page/section.js';
import { FakeClock } from '../../src/testing/index.js';
import { remembering } from '../http/support/asking.js';
import { TestSource } from './support/pages.js';

function sectionOf(source: TestSource, logger = silentLogger) {
  const clock = new FakeClock();
  const section = new Section(source, { clock, logger, readTimeoutMs: 1000, slotMs: 1000 });
  const names = () => section.reading?.entries.map(({ name, state }) => `${name} ${state}`);
  return { section, clock, names };
}

const entries = (...list: readonly (readonly [name: string, state: string])[]) => ({
  entries: list.map(([name, state]) => ({ name, state })),
});

describe('a section', () => {
  it('is unknown before it was read, and the worst of the whole and its entries then', async () => {
    const source = new TestSource(() => entries(['a', 'ok'], ['b', 'degraded']));
    const { section } = sectionOf(source);
    expect(section.state).toBe('unknown');
    await section.read('all');
    expect(section.state).toBe('degraded');
    source.says = () => ({ state: 'error', ...entries(['a', 'ok']) });
    await section.read('all');
    expect(section.state).toBe('error');
  });

  it('keeps what was known where a reading throws, and is no longer well', async () => {
    const source = new TestSource(() => entries(['a', 'ok']));
    const logger = remembering();
    const { section, names } = sectionOf(source, logger);
    await section.read('all');
    source.says = () => {
      throw new Error('no list');
    };
    await section.read('all');
    await section.read('all');
    expect([section.fault, section.state, names()]).toEqual(['read_failed', 'unknown', ['a ok']]);
    source.says = () => entries(['a', 'ok']);
    await section.read('all');
    expect([section.fault, section.state]).toEqual([undefined, 'ok']);
    expect(logger.lines).toEqual([
      'error the reading of "Source" for the status page failed: no list',
      'info the reading of "Source" for the status page works again',
    ]);
  });

  it.each([
    [undefined],
    [null],
    ['text'],
    [{}],
    [{ entries: 'no' }],
    [{ entries: [null] }],
    [{ entries: [{ state: 'ok' }] }],
  ])('takes %j for no reading', async (said) => {
    const { section } = sectionOf(new TestSource(() => said));
    await section.read('all');
    expect([section.fault, section.reading]).toEqual(['read_failed', undefined]);
  });

  it('waits for readTimeoutMs, aborts, and asks nothing more of a source that hangs', async () => {
    let answer: (value: unknown) => void = () => {};
    const source = new TestSource(
      () =>
        new Promise((resolve) => {
          answer = resolve;
        }),
    );
    const { section, clock } = sectionOf(source);
    const reading = section.read('all');
    await clock.advance(999);
    expect(section.fault).toBeUndefined();
    await clock.advance(1);
    await reading;
    expect(section.fault).toBe('read_timeout');
    await section.read('all');
    expect(source.reads).toHaveLength(1);
    // What comes too late is not shown, but the source may be asked again.
    answer(entries(['a', 'ok']));
    await clock.advance(0);
    expect(section.reading).toBeUndefined();
    source.says = () => entries(['a', 'error']);
    await section.read('all');
    expect([section.fault, section.state]).toEqual([undefined, 'error']);
    expect(clock.pending).toBe(0);
  });

  it('aborts the signal of a reading that it no longer waits for', async () => {
    let signal: AbortSignal | undefined;
    const clock = new FakeClock();
    const source = {
      name: 'slow',
      read: (context: { signal: AbortSignal }) => {
        signal = context.signal;
        return new Promise<never>(() => {});
      },
    };
    const section = new Section(source, { clock, logger: silentLogger, readTimeoutMs: 50, slotMs: 1000 });
    void section.read('all');
    await clock.advance(0);
    expect(signal?.aborted).toBe(false);
    await clock.advance(50);
    expect(signal?.aborted).toBe(true);
  });

  it('asks only for what it was told of, and puts it in its place', async () => {
    const source = new TestSource(() => entries(['a', 'ok'], ['b', 'ok'], ['c', 'ok']));
    const { section, names } = sectionOf(source);
    await section.read('all');
    expect(section.isBehind).toBe(false);
    section.told({ entry: 'b', state: 'error' });
    section.told({ entry: 'c' });
    section.told({ entry: 'd' });
    expect(section.isBehind).toBe(true);
    source.says = () => entries(['b', 'error'], ['d', 'ok']);
    await section.read('changed');
    expect(source.reads).toEqual([undefined, ['b', 'c', 'd']]);
    expect(names()).toEqual(['a ok', 'b error', 'd ok']);
    expect(section.isBehind).toBe(false);
  });

  it('asks for no entry where only the whole has changed', async () => {
    const source = new TestSource(() => entries(['a', 'ok']));
    const { section, names } = sectionOf(source);
    await section.read('all');
    section.told({ label: 'stopping' });
    source.says = () => ({ state: 'degraded', label: 'stopping', entries: [] });
    await section.read('changed');
    expect(source.reads.at(-1)).toEqual([]);
    expect([section.state, names()]).toEqual(['degraded', ['a ok']]);
    expect(section.timeline.stretches).toEqual([{ label: 'stopping', beganAt: 0 }]);
  });

  it('reads everything where nothing is known yet, whatever it was told', async () => {
    const source = new TestSource(() => entries(['a', 'ok']));
    const { section } = sectionOf(source);
    section.told({ entry: 'a', state: 'error' });
    await section.read('changed');
    expect(source.reads).toEqual([undefined]);
  });

  it('does not trust what it is told', () => {
    const { section } = sectionOf(new TestSource());
    section.told({ label: 'At 10.0.0.5' });
    expect([section.timeline.stretches, section.isBehind]).toEqual([[], true]);
    for (const wrong of [undefined, null, 'db', { entry: 1 }]) {
      expect(() => section.told(wrong as never)).toThrow(TypeError);
    }
  });

  it('notes what is told quietly, and is not behind for it', async () => {
    const source = new TestSource(() => entries(['a', 'ok']));
    const { section, clock } = sectionOf(source);
    await section.read('all');
    await clock.advance(1000);
    section.told({ entry: 'a', state: 'error', quiet: true });
    expect(section.isBehind).toBe(false);
    expect(section.memoryOf('a')?.since(clock.now(), undefined)).toEqual({ ageMs: 0, exact: true });
  });

  it('reads everything after the part that is being read, and a part not beside everything', async () => {
    const source = new TestSource(() => entries(['a', 'ok'], ['b', 'ok']));
    const { section, names } = sectionOf(source);
    await section.read('all');
    section.told({ entry: 'a' });
    source.says = () => entries(['a', 'error'], ['b', 'error']);
    await Promise.all([section.read('changed'), section.read('all')]);
    expect(source.reads).toEqual([undefined, ['a'], undefined]);
    expect(names()).toEqual(['a error', 'b error']);
    await Promise.all([section.read('all'), section.read('changed')]);
    expect(source.reads).toHaveLength(4);
  });

  it('lets what is told during a reading to that reading', async () => {
    const source = new TestSource();
    const { section } = sectionOf(source);
    source.says = () => {
      section.told({ entry: 'a', state: 'error' });
      return entries(['a', 'error']);
    };
    await section.read('all');
    expect(section.isBehind).toBe(false);
  });

  it('remembers since when an entry has been in its state, and only what it saw for sure', async () => {
    const source = new TestSource(() => entries(['a', 'ok']));
    const { section, clock } = sectionOf(source);
    await section.read('all');
    await clock.advance(3000);
    expect(section.memoryOf('a')?.since(clock.now(), undefined)).toEqual({ ageMs: 3000, exact: false });
    section.told({ entry: 'a', state: 'error' });
    await clock.advance(2000);
    source.says = () => entries(['a', 'error']);
    await section.read('all');
    expect(section.memoryOf('a')?.since(clock.now(), undefined)).toEqual({ ageMs: 2000, exact: true });
    expect(section.memoryOf('a')?.since(clock.now(), 77)).toEqual({ ageMs: 77, exact: true });
  });

  it('forgets an entry that has gone', async () => {
    const source = new TestSource(() => entries(['a', 'ok']));
    const { section } = sectionOf(source);
    await section.read('all');
    source.says = () => entries(['b', 'ok']);
    await section.read('all');
    expect([section.memoryOf('a'), section.memoryOf('b') !== undefined]).toEqual([undefined, true]);
  });

  it('remembers ten thousand entries and no more', async () => {
    const many = Array.from({ length: 10_001 }, (_, i) => [`e${i}`, 'ok'] as const);
    const { section } = sectionOf(new TestSource(() => entries(...many)));
    await section.read('all');
    expect(section.memoryOf('e9999')).toBeDefined();
    expect(section.memoryOf('e10000')).toBeUndefined();
  });

  it('shows a second entry of a name too', async () => {
    const { section, names } = sectionOf(new TestSource(() => entries(['a', 'ok'], ['a', 'error'])));
    await section.read('all');
    expect(names()).toEqual(['a ok', 'a (2) error']);
  });

  it('takes a state that there is not for unknown', async () => {
    const { section, names } = sectionOf(new TestSource(() => entries(['a', 'fine'])));
    await section.read('all');
    expect(names()).toEqual(['a unknown']);
  });

  it('keeps the last eight stretches of its timeline', async () => {
    const { section, clock } = sectionOf(new TestSource());
    for (let i = 0; i < 12; i++) {
      section.told({ label: `l${i}` });
      section.told({ label: `l${i}` });
      await clock.advance(10);
    }
    expect(section.timeline.stretches.map(({ label, beganAt }) => `${label} ${beganAt}`)).toEqual(
      [4, 5, 6, 7, 8, 9, 10, 11].map((i) => `l${i} ${i * 10}`),
    );
  });
});
