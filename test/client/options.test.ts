import { describe, expect, it } from 'vitest';
import { HealthMonitor, HealthPoller, pollOnce } from '../../src/client/index.js';

const url = 'http://w.test';
type Give = (options: object) => unknown;
const poller: Give = (options) => new HealthPoller({ url, ...options });
const monitor: Give = (options) => new HealthMonitor(options);
const added: Give = (options) => new HealthMonitor().add({ id: 'a', url, ...options });

const DURATION = [0, -1, Number.NaN, Number.POSITIVE_INFINITY, 2_147_483_648, '5', null] as const;
const FN = [1, {}, null, 'fetch'] as const;

const OF_ALL: readonly (readonly [
  option: string,
  expected: RegExp,
  refused: readonly unknown[],
  taken: readonly unknown[],
])[] = [
  ['passive', /true or false/, [1, 'yes', null], [true, false]],
  ['timeoutMs', /milliseconds from 1/, DURATION, [1, 2_147_483_647]],
  ['intervalMs', /milliseconds from 1/, DURATION, [1, 2_147_483_647]],
  ['maxBackoffMs', /milliseconds from 1/, DURATION, [1, 2_147_483_647]],
  ['lostAfterMs', /milliseconds from 1/, DURATION, [1, 2_147_483_647]],
  ['jitter', /from 0 to 1/, [-0.1, 1.1, Number.NaN, '0', null], [0, 1]],
  [
    'headers',
    /header names and texts/,
    [null, 'x', [], { a: 1 }, { 'a b': 'x' }, { '': 'x' }, { a: 'x\r\ny' }, { a: 'x\0' }, { a: '€' }],
    [{}, { a: '' }, { 'X-Y': 'a b\tc' }],
  ],
];
const PORTS: typeof OF_ALL = [
  ['fetch', /a function/, FN, [async () => new Response()]],
  ['webSocket', /true, false or a class/, [1, {}, null, 'ws'], [false, class {}]],
  ['clock', /methods now, wall/, [1, {}, null], []],
  ['random', /a function/, FN, [() => 0]],
  ['logger', /methods debug/, [console.log, {}, null], [console]],
];
const OF_ONE: typeof OF_ALL = [
  ['url', /an absolute URL/, [undefined, null, '', '/api/health', 'ftp://w.test'], [new URL(url)]],
  ['id', /1 to 256 characters/, ['', 'x'.repeat(257), 'a\nb', 7, null], ['x'.repeat(256)]],
  ['instanceStatus', /'provisioning' or 'running'/, ['up', true, null], ['running', 'provisioning']],
];

const TAKERS: readonly (readonly [name: string, give: Give, rows: typeof OF_ALL])[] = [
  ['new HealthPoller()', poller, [...OF_ALL, ...PORTS, ...OF_ONE]],
  [
    'new HealthMonitor()',
    monitor,
    [...OF_ALL, ...PORTS, ['maxConcurrent', /whole number of at least 1/, [0, 1.5, -1, '9', null], [1, 100_000]]],
  ],
  ['add()', added, [...OF_ALL, ...OF_ONE]],
];

describe.each(TAKERS)('%s', (at, give, rows) => {
  it.each(rows)('checks %s', (option, expected, refused, taken) => {
    for (const value of refused) {
      expect(() => give({ [option]: value }), JSON.stringify(value)).toThrow(
        expect.objectContaining({ code: 'invalid_option', message: expect.stringMatching(expected) }),
      );
      expect(() => give({ [option]: value })).toThrow(`${at}: option "${option}"`);
    }
    for (const value of taken) expect(() => give({ [option]: value })).not.toThrow();
    const needed = option === 'url' || (option === 'id' && at === 'add()');
    if (!needed) expect(() => give({ [option]: undefined })).not.toThrow();
  });

  it('refuses options that there are not', () => {
    expect(() => give({ interval: 5000 })).toThrow(`${at}: unknown option "interval" (is "intervalMs" meant?)`);
  });
});

it('an instance must have a url, and one of a monitor an id', () => {
  for (const give of [() => new HealthPoller({} as never), () => new HealthMonitor().add({ id: 'a' } as never)]) {
    expect(give).toThrow('option "url": expected an absolute URL');
  }
  expect(() => new HealthMonitor().add({ url } as never)).toThrow('add(): option "id": expected a string');
  expect(() => new HealthMonitor().add({ id: 'a', url, clock: {} } as never)).toThrow('unknown option "clock"');
  expect(() => new HealthPoller(null as never)).toThrow(expect.objectContaining({ code: 'invalid_option' }));
});

it('no refusal shows a header', () => {
  expect(() => poller({ headers: { authorization: 'Bearer s3cret\n' } })).toThrow(
    expect.objectContaining({ message: expect.not.stringContaining('s3cret') }),
  );
});

it('an instance of a class may be given, whose functions are called on it', async () => {
  class Options {
    readonly url = url;
    readonly webSocket = false;
    readonly asked: string[] = [];
    async fetch(asked: string): Promise<Response> {
      this.asked.push(asked);
      return new Response();
    }
  }
  const options = new Options();
  await new HealthPoller(options).poll();
  await pollOnce(Object.assign(Object.create(Options.prototype), { url, asked: options.asked }));
  expect(options.asked).toEqual(['http://w.test/api/health', 'http://w.test/api/health']);
});
