import { describe, expect, it } from 'vitest';
import { resolveStatusPage } from '../../src/page/options.js';
import { pageOf, TestSource } from './support/pages.js';

it('options that are not given are what their docstrings say', () => {
  const settings = resolveStatusPage({ sources: [new TestSource()] });
  expect({ ...settings, path: settings.pathBelow('') }).toMatchObject({
    title: 'Status',
    details: 'never',
    path: '/status-page',
    refreshIntervalMs: 5000,
    readTimeoutMs: 5000,
    historyMs: 1_800_000,
    maxEntries: 200,
    maxClients: 100,
    heartbeatIntervalMs: 15_000,
    maxBufferedBytes: 1_048_576,
    maxStreamMs: 300_000,
    signals: [],
  });
});

describe('a source that hangs', () => {
  it.each([undefined, 700])('holds up the page for readTimeoutMs, which is %s', async (readTimeoutMs) => {
    const { page, clock } = pageOf([new TestSource(() => new Promise(() => {}), 'Hanging'), new TestSource()], {
      readTimeoutMs,
    });
    let html: string | undefined;
    void page.fetch(new Request('http://h/status-page'))?.then(async (answer) => {
      html = await answer.text();
    });
    await clock.advance((readTimeoutMs ?? 5000) - 1);
    expect(html).toBeUndefined();
    await clock.advance(1);
    expect(html).toContain('Could not be read (read timeout): nothing is known');
    expect(clock.pending).toBe(0);
  });
});
