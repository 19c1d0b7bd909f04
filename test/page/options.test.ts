import { describe, expect, it } from 'vitest';
import {
  controllerSource,
  createStatusPage,
  gatewaySource,
  instanceSource,
  monitorSource,
  sandboxSource,
} from '../../src/page/index.js';
import { expectRefusal, thrownBy } from '../config/support/refusal.js';
import { TestSource } from './support/pages.js';

const sources = [new TestSource()];
const milliseconds = /a number of milliseconds from 1 to 2147483647/;

describe('createStatusPage() refuses', () => {
  it.each([
    [{}, 'option "sources"', 'a list of sources'],
    [{ sources: [] }, 'option "sources"', 'a list of sources'],
    [{ sources: [{}] }, 'option "sources"[0]', 'a source with a name'],
    [{ sources: [{ name: '', read: () => {} }] }, 'option "sources"[0]', 'a source with a name'],
    [{ sources: [{ name: 'a', read: 1 }] }, 'option "sources"[0]', 'a function read'],
    [{ sources: [{ name: 'a', read: () => {}, watch: 1 }] }, 'option "sources"[0]', 'a source'],
    [{ sources: [new TestSource(), new TestSource()] }, 'option "sources"[1]', 'a name of its own'],
    [{ sources, title: '' }, 'option "title"', 'a text of 1 to 256 characters'],
    [{ sources, details: 'sometimes' }, 'option "details"', "'never', 'always' or a function"],
    [{ sources, path: '/a b' }, 'option "path"', 'a path'],
    [{ sources, path: '/' }, '', 'a path with at least one segment'],
    [{ sources, basePath: '?' }, 'option "basePath"', 'a path'],
    [{ sources, refreshIntervalMs: 0 }, 'option "refreshIntervalMs"', milliseconds],
    [{ sources, readTimeoutMs: 0 }, 'option "readTimeoutMs"', milliseconds],
    [{ sources, historyMs: -1 }, 'option "historyMs"', milliseconds],
    [{ sources, heartbeatIntervalMs: Number.NaN }, 'option "heartbeatIntervalMs"', milliseconds],
    [{ sources, maxStreamMs: '5' }, 'option "maxStreamMs"', milliseconds],
    [{ sources, maxEntries: 0 }, 'option "maxEntries"', 'a whole number of at least 1'],
    [{ sources, maxClients: 1.5 }, 'option "maxClients"', 'a whole number of at least 1'],
    [{ sources, maxBufferedBytes: 0 }, 'option "maxBufferedBytes"', 'a whole number of at least 1'],
    [{ sources, signal: {} }, 'option "signal"', 'an AbortSignal'],
    [{ sources, logger: {} }, 'option "logger"', 'debug'],
    [{ sources, clock: {} }, 'option "clock"', 'now'],
    [{ sources, refreshMs: 1 }, 'unknown option "refreshMs"', 'is "refreshIntervalMs" meant?'],
  ])('%j', (options, where, expected) => {
    expectRefusal(() => createStatusPage(options as never), 'createStatusPage()', where, expected);
  });
});

describe('a ready-made source refuses', () => {
  it.each([
    ['controllerSource()', (value: unknown) => controllerSource(value as never), 'status, readiness'],
    ['gatewaySource()', (value: unknown) => gatewaySource(value as never), 'snapshot'],
    ['sandboxSource()', (value: unknown) => sandboxSource(value as never), 'list'],
    ['instanceSource()', (value: unknown) => instanceSource(value as never), 'a list of instances'],
    ['monitorSource()', (value: unknown) => monitorSource(value as never), 'list'],
  ])('what is nothing for %s', (at, make, expected) => {
    for (const value of [undefined, null, {}, 'x', [{}]]) expectRefusal(() => make(value), at, expected);
  });

  it('a name that is none, and unknown options', () => {
    const controller = { status: () => {}, readiness: () => {} } as never;
    for (const name of ['', 'a\nb', 'x'.repeat(257), 1]) {
      expectRefusal(
        () => controllerSource(controller, { name: name as string }),
        'controllerSource()',
        'option "name"',
      );
    }
    expectRefusal(() => controllerSource(controller, { title: 'x' } as never), 'unknown option "title"');
    expect(thrownBy(() => controllerSource(controller, { name: 'My process' }))).toBeUndefined();
    expect(controllerSource(controller, { name: 'My process' }).name).toBe('My process');
  });

  it('names the sections of the others by what is shown there', () => {
    expect([
      controllerSource({ status: () => {}, readiness: () => {} } as never).name,
      gatewaySource({ snapshot: () => {} } as never).name,
      sandboxSource({ list: () => [] }).name,
      instanceSource([]).name,
      monitorSource({ list: () => [] }).name,
    ]).toEqual(['Services and checks', 'Gateway', 'Sandbox services', 'Instances', 'Instances']);
  });
});
