import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Controller, degraded, healthy, unhealthy } from '../../src/index.js';
import { controllerSource, createStatusPage, type PageReading, type PageSource } from '../../src/page/index.js';
import { FakeClock } from '../../src/testing/index.js';
import { board } from './support/pages.js';
import { parseHtml } from './support/parse-html.js';

function running(fill: (controller: Controller) => void, options = {}) {
  const clock = new FakeClock();
  const controller = new Controller({ clock, ...options });
  fill(controller);
  const source = controllerSource(controller);
  const { changes, end } = told(source);
  controller.start();
  const read = async (only?: readonly string[]): Promise<PageReading> => {
    const reading = Promise.resolve(source.read({ signal: new AbortController().signal, clock, only }));
    await clock.advance(0);
    return reading;
  };
  return { clock, controller, source, read, changes, end };
}

function told(source: PageSource) {
  const changes: unknown[] = [];
  const end = source.watch?.((change) => changes.push(change));
  return { changes, end };
}

describe('the reading of a controller', () => {
  it('is its status report, entry by entry', async () => {
    const { read } = running((controller) => {
      controller.register('api', { status: () => true });
      controller.registerCheck({ name: 'db', check: () => unhealthy('no route', { host: 'h' }, 'connect') });
      controller.registerCheck({ name: 'disk', check: () => degraded('filling up', undefined, 'low') });
      controller.registerCheck({ name: 'slow', intervalMs: 1000, initialDelayMs: 500, check: () => healthy() });
    });
    const { state, label, reason, entries } = await read();
    expect([state, label, reason]).toEqual(['ok', 'running', undefined]);
    expect(entries).toEqual([
      { name: 'api', kind: 'service', state: 'ok', ageMs: 0, followed: false, facts: { 'took ms': 0 } },
      {
        name: 'db',
        kind: 'check',
        state: 'error',
        reason: 'connect',
        error: 'no route',
        ageMs: 0,
        followed: true,
        facts: { 'took ms': 0, host: 'h' },
      },
      {
        name: 'disk',
        kind: 'check',
        state: 'degraded',
        reason: 'low',
        error: 'filling up',
        ageMs: 0,
        followed: true,
        facts: { 'took ms': 0 },
      },
      { name: 'slow', kind: 'check', state: 'unknown', reason: 'pending', followed: true, facts: {} },
    ]);
  });

  it('equals the report on the page, whatever the checks say', async () => {
    const result = fc.constantFrom(healthy(), degraded('d'), unhealthy('u'), unhealthy('u', undefined, 'timeout'));
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(result, fc.boolean()), { maxLength: 8 }), async (checks) => {
        const clock = new FakeClock();
        const controller = new Controller({ clock });
        for (const [i, [said, critical]] of checks.entries())
          controller.registerCheck({ name: `c${i}`, critical, check: () => said });
        controller.start();
        const page = createStatusPage({ sources: [controllerSource(controller)], clock });
        const html = await page.fetch(new Request('http://h/status-page'))?.then((answer) => answer.text());
        const rows = parseHtml(board(html ?? '')).tags.flatMap(({ tag, attributes }) =>
          tag === 'tr' && attributes['data-key'] !== undefined
            ? [`${attributes['data-key']} ${attributes['data-state']}`]
            : [],
        );
        const report = await controller.status();
        const words = { OK: 'ok', DEGRADED: 'degraded', ERROR: 'error' };
        expect(rows).toEqual(report.services.map(({ name, status }) => `${name} ${words[status]}`));
        page.close();
        await controller.stop();
      }),
      { numRuns: 50 },
    );
  });

  it('runs nothing of polled checks, and inline ones once', async () => {
    let polled = 0;
    let inline = 0;
    const { read } = running((controller) => {
      controller.registerCheck({ name: 'polled', intervalMs: 60_000, check: () => void polled++ });
      controller.registerCheck({ name: 'inline', type: 'both', check: () => void inline++ });
    });
    await read();
    await read();
    expect([polled, inline]).toEqual([1, 2]);
    await read(['polled']);
    expect([polled, inline]).toEqual([1, 2]);
  });

  it('of some entries has those alone', async () => {
    const { read } = running((controller) => {
      controller.register('api', {});
      controller.registerCheck({ name: 'db', check: () => healthy() });
    });
    expect((await read(['db'])).entries.map(({ name }) => name)).toEqual(['db']);
    expect((await read([])).entries).toEqual([]);
  });

  it('tells how old a result is by the monotonic clock, whatever happens to the other one', async () => {
    const { read, clock } = running((controller) => {
      controller.registerCheck({ name: 'db', intervalMs: 10_000, check: () => healthy() });
    });
    const age = async () => (await read()).entries[0]?.ageMs;
    await clock.advance(2000);
    expect(await age()).toBe(2000);
    clock.setWall(clock.wall() + 3_600_000);
    await clock.advance(3000);
    expect(await age()).toBe(5000);
    clock.setWall(clock.wall() - 7_200_000);
    await clock.advance(6000);
    // A new result: it cannot be older than the reading before it.
    expect(await age()).toBeLessThanOrEqual(6000);
    await clock.advance(2000);
    expect(await age()).toBeLessThanOrEqual(8000);
  });

  it('says what closes readiness, where the state does not say it already', async () => {
    const { read, controller, clock } = running(() => {}, { drainDelayMs: 1000 });
    controller.setMaintenance('by hand');
    expect(await read()).toMatchObject({ state: 'degraded', label: 'running', reason: 'maintenance' });
    controller.setMaintenance(false);
    const stopped = controller.stop();
    expect(await read()).toMatchObject({ state: 'degraded', label: 'stopping', reason: 'draining' });
    await clock.advance(1000);
    await stopped;
    expect(await read()).toMatchObject({ state: 'degraded', label: 'stopped', reason: undefined });
  });
});

describe('between readings a controller', () => {
  it('tells of states, services and checks, until it is told to end', async () => {
    let said = unhealthy('x');
    const { changes, end, controller, clock } = running((own) => {
      own.register('api', {});
      own.registerCheck({ name: 'db', intervalMs: 1000, check: () => said });
    });
    await clock.advance(0);
    said = degraded('d');
    await clock.advance(1000);
    said = healthy();
    await clock.advance(1000);
    end?.();
    said = unhealthy('x');
    await clock.advance(1000);
    expect(changes).toEqual([
      { label: 'running' },
      { entry: 'api' },
      { entry: 'db', state: 'error' },
      { entry: 'db', state: 'degraded', from: 'error' },
      { entry: 'db', state: 'ok', from: 'degraded' },
    ]);
    void controller.stop();
    expect(changes).toHaveLength(5);
  });

  it('tells of a check that is not critical as it is reported, once that was seen', async () => {
    let said = unhealthy('x');
    const { source, read, clock } = running((own) => {
      own.registerCheck({ name: 'cache', critical: false, intervalMs: 1000, check: () => said });
    });
    await read();
    const { changes } = told(source);
    said = healthy();
    await clock.advance(1000);
    said = unhealthy('x');
    await clock.advance(1000);
    expect(changes).toEqual([
      { entry: 'cache', state: 'ok', from: 'degraded' },
      { entry: 'cache', state: 'degraded', from: 'ok' },
    ]);
  });

  it('tells of a sync check that others run without having it run again', async () => {
    let runs = 0;
    const { source, controller, clock } = running((own) => {
      own.registerCheck({ name: 'flapping', check: () => ++runs % 2 === 0 });
      own.registerCheck({ name: 'polled', intervalMs: 60_000, check: () => true });
    });
    const page = createStatusPage({ sources: [source], clock, refreshIntervalMs: 60_000 });
    const answer = await page.fetch(new Request('http://h/status-page/events'));
    await clock.advance(1000);
    expect(runs).toBe(1);
    for (let i = 0; i < 20; i++) {
      const report = controller.readiness();
      await clock.advance(300);
      await report;
    }
    expect(runs).toBe(21);
    page.close();
    await answer?.text();
  });

  it('fills the strip of a polled check, though nobody looks', async () => {
    let said = healthy();
    const { source, clock } = running((own) => {
      own.registerCheck({ name: 'db', intervalMs: 1000, check: () => said });
    });
    const page = createStatusPage({ sources: [source], clock, historyMs: 30_000 });
    await clock.advance(5000);
    said = unhealthy('x');
    await clock.advance(3000);
    said = healthy();
    await clock.advance(4000);
    const html = await page.fetch(new Request('http://h/status-page'))?.then((answer) => answer.text());
    expect(/<svg [^>]*aria-label="([^"]*)"/.exec(html ?? '')?.[1]).toBe('ok 6 s, error 4 s, ok 3 s');
  });
});

describe('the signal of a controller', () => {
  it('ends the streams of the page when the drain is over', async () => {
    const clock = new FakeClock();
    const controller = new Controller({ clock, drainDelayMs: 1000 });
    const page = createStatusPage({ sources: [controllerSource(controller)], clock });
    controller.start();
    const answer = await page.fetch(new Request('http://h/status-page/events'));
    const text = answer?.text();
    await clock.advance(0);
    const stopped = controller.stop();
    await clock.advance(999);
    expect(page.clients).toBe(1);
    await clock.advance(1);
    await stopped;
    expect(page.clients).toBe(0);
    expect(clock.pending).toBe(0);
    const events = await text;
    expect(events).toContain('draining');
    expect(events?.endsWith('event: end\ndata:\n\n')).toBe(true);
  });
});
