import { describe, expect, it } from 'vitest';
import { silentLogger } from '../../src/kit.js';
import { Board, type Viewer } from '../../src/page/board.js';
import { FakeClock } from '../../src/testing/index.js';
import { TestSource } from './support/pages.js';

function boardOf(...sources: readonly TestSource[]) {
  const clock = new FakeClock();
  const settings = { clock, logger: silentLogger, readTimeoutMs: 2000, slotMs: 1000, refreshIntervalMs: 5000 };
  const board = new Board(sources, settings);
  let shown = 0;
  const viewer: Viewer = { show: () => shown++ };
  return { board, clock, viewer, shown: () => shown };
}

describe('a board', () => {
  it('reads nothing and sets no timer while nobody looks', async () => {
    const source = new TestSource();
    const { clock } = boardOf(source);
    source.changed({ entry: 'a', state: 'error' });
    await clock.advance(60_000);
    expect([source.reads.length, clock.pending]).toEqual([0, 0]);
  });

  it('reads once per interval, however many look', async () => {
    const source = new TestSource();
    const { board, clock } = boardOf(source);
    const viewers = Array.from({ length: 50 }, () => ({ show: () => {} }));
    for (const viewer of viewers) board.add(viewer);
    await clock.advance(0);
    expect(source.reads).toHaveLength(1);
    await clock.advance(14_999);
    expect(source.reads).toHaveLength(3);
    await clock.advance(1);
    expect(source.reads).toHaveLength(4);
    expect(clock.timers.every(({ keepAlive }) => !keepAlive)).toBe(true);
    for (const viewer of viewers) board.remove(viewer);
    expect(clock.pending).toBe(0);
    await clock.advance(60_000);
    expect(source.reads).toHaveLength(4);
  });

  it('shows each reading to all, and the last one at once to who comes later', async () => {
    const { board, clock, viewer, shown } = boardOf(new TestSource());
    board.add(viewer);
    expect(shown()).toBe(0);
    await clock.advance(5000);
    expect(shown()).toBe(2);
    let late = 0;
    board.add({ show: () => late++ });
    expect(late).toBe(1);
  });

  it('reads no oftener where viewers come and go', async () => {
    const source = new TestSource();
    const { board, clock, viewer } = boardOf(source);
    for (let i = 0; i < 20; i++) {
      board.add(viewer);
      await clock.advance(200);
      board.remove(viewer);
      await clock.advance(50);
    }
    expect(source.reads).toHaveLength(1);
    expect(clock.pending).toBe(0);
  });

  it('skips the readings that a slow one took', async () => {
    const source = new TestSource(() => new Promise(() => {}));
    const { board, clock, viewer, shown } = boardOf(source, new TestSource(undefined, 'fast'));
    board.add(viewer);
    await clock.advance(2000);
    expect(shown()).toBe(1);
    await clock.advance(2999);
    expect(shown()).toBe(1);
    await clock.advance(1);
    expect(shown()).toBe(2);
  });

  it('reads what has changed a quarter of a second later, once for all changes', async () => {
    const source = new TestSource(() => ({ entries: [{ name: 'a', state: 'ok' }] }));
    const other = new TestSource(undefined, 'other');
    const { board, clock, viewer, shown } = boardOf(source, other);
    board.add(viewer);
    await clock.advance(1000);
    for (let i = 0; i < 10; i++) source.changed({ entry: 'a', state: 'error' });
    await clock.advance(249);
    expect(source.reads).toEqual([undefined]);
    await clock.advance(1);
    expect(source.reads).toEqual([undefined, ['a']]);
    expect(other.reads).toEqual([undefined]);
    expect(shown()).toBe(2);
  });

  it('is not held up by a source that hangs, where another one tells of a change', async () => {
    const hanging = new TestSource(() => new Promise(() => {}), 'hanging');
    const source = new TestSource();
    const { board, clock, viewer } = boardOf(hanging, source);
    board.add(viewer);
    await clock.advance(100);
    source.changed({ entry: 'a', state: 'error' });
    await clock.advance(250);
    expect(source.reads).toEqual([undefined, ['a']]);
  });

  it('refreshes on demand what is an interval old or has changed, and shares what is younger', async () => {
    const source = new TestSource();
    const { board, clock } = boardOf(source);
    await Promise.all([board.refresh(), board.refresh()]);
    await board.refresh();
    expect(source.reads).toEqual([undefined]);
    source.changed({ entry: 'a' });
    await board.refresh();
    expect(source.reads).toEqual([undefined, ['a']]);
    await clock.advance(5000);
    await board.refresh();
    expect(source.reads).toEqual([undefined, ['a'], undefined]);
    expect(clock.pending).toBe(0);
  });

  it('listens to its sources until its end, and leaves no timer', async () => {
    const source = new TestSource();
    const { board, clock, viewer } = boardOf(source);
    board.add(viewer);
    source.changed({ entry: 'a' });
    await clock.advance(100);
    expect(source.watched).toBe(1);
    board.end();
    expect([source.watched, clock.pending]).toEqual([0, 0]);
    await clock.advance(20_000);
    expect(source.reads).toHaveLength(1);
  });

  it('leaves the others where one source cannot be left', () => {
    const [bad, good] = [new TestSource(undefined, 'bad'), new TestSource(undefined, 'good')];
    bad.watch = () => () => {
      throw new Error('no');
    };
    const { board } = boardOf(bad, good);
    board.end();
    expect(good.watched).toBe(0);
  });

  it('begins no second loop where a viewer goes and another comes during a reading', async () => {
    const source = new TestSource();
    const { board, clock, viewer } = boardOf(source);
    let answer: (value: unknown) => void = () => {};
    source.says = () =>
      new Promise((resolve) => {
        answer = resolve;
      });
    board.add(viewer);
    await clock.advance(0);
    board.remove(viewer);
    board.add(viewer);
    answer({ entries: [] });
    source.says = () => ({ entries: [] });
    await clock.advance(0);
    expect(clock.pending).toBe(1);
    await clock.advance(20_000);
    expect(source.reads).toHaveLength(5);
  });
});
