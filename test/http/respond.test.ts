import { describe, expect, it } from 'vitest';
import type { HealthReporter } from '../../src/http/index.js';
import { Controller, degraded, type HealthReport, unhealthy } from '../../src/index.js';
import { FakeClock } from '../../src/testing/index.js';
import { asking, remembering, reporterOf, reportOf } from './support/asking.js';

const body = async (answer: Promise<{ body: string } | undefined>) => (await answer)?.body;

describe('the bytes', () => {
  it('are kept while a controller of polled checks gives the same report', async () => {
    const clock = new FakeClock();
    const controller = new Controller({ clock });
    controller.registerCheck({ name: 'db', check: () => true, intervalMs: 1000 });
    controller.start();
    await clock.advance(0);
    const ask = asking(controller);
    const first = await ask('/readyz');
    expect(first?.status).toBe(200);
    expect(await ask('/readyz')).toBe(first);
    await clock.advance(5000);
    expect(await ask('/readyz')).toBe(first);
    const stopped = controller.stop();
    expect((await ask('/readyz'))?.status).toBe(503);
    await clock.advance(0);
    await stopped;
  });

  it('are kept while sync checks find what they found before, and made again when a state or reason changes', async () => {
    let result: ReturnType<typeof unhealthy> | true = true;
    const controller = new Controller();
    controller.registerCheck({ name: 'db', check: async () => result });
    controller.start();
    const ask = asking(controller);
    const first = await ask('/readyz');
    expect(await ask('/readyz')).toBe(first);
    result = unhealthy('gone', undefined, 'gone');
    const gone = await ask('/readyz');
    expect(gone?.body).toContain('"reason":"gone"');
    result = unhealthy('lost', undefined, 'lost');
    expect((await ask('/readyz'))?.body).toContain('"reason":"lost"');
    result = true;
    expect(await ask('/readyz')).toEqual(first);
    await controller.stop();
  });

  it('are there as such where the answer is long, the same as its text', async () => {
    const names = Array.from({ length: 300 }, (_, i) => ({ name: `ünï-${i}` }));
    const long = await asking(reporterOf(() => reportOf(...names)))('/readyz');
    expect(new TextDecoder().decode(long?.bytes)).toBe(long?.body);
    expect(long?.headers['Content-Length']).toBe(String(long?.bytes?.length));
    expect(await asking(reporterOf(() => reportOf({ name: 'db' })))('/readyz')).not.toHaveProperty('bytes');
  });

  it.each(['/readyz', '/livez', '/status', '/readyz?format=text', '/readyz?format=health'])(
    'of %s are no other question’s',
    async (target) => {
      const ask = asking({
        status: () => reportOf({ name: 's' }) as unknown as HealthReport,
        liveness: () => reportOf({ name: 'l', status: 'ERROR' }) as unknown as HealthReport,
        readiness: () => reportOf({ name: 'r', status: 'ERROR' }) as unknown as HealthReport,
      });
      const others = ['/readyz', '/livez', '/status', '/readyz?format=text', '/readyz?format=health'];
      const alone = await ask(target);
      for (const other of others) await ask(other);
      expect(await ask(target)).toBe(alone);
      expect(new Set(await Promise.all(others.map((other) => body(ask(other))))).size).toBe(5);
    },
  );

  it('follow a report that its owner changes in place', async () => {
    const entry = { name: 'db', kind: 'check', status: 'OK', reason: undefined as string | undefined };
    const report = { overallHealthy: true, state: 'running', services: [entry] };
    const ask = asking(reporterOf(() => report));
    for (let i = 0; i < 3; i++) expect((await ask('/readyz'))?.status).toBe(200);
    entry.status = 'ERROR';
    expect((await ask('/readyz'))?.status).toBe(503);
    entry.reason = 'gone';
    expect(await body(ask('/readyz'))).toContain('"reason":"gone"');
    entry.name = 'other';
    expect(await body(ask('/readyz'))).toContain('"other"');
    report.services.push({ name: 'more', kind: 'service', status: 'OK', reason: undefined });
    expect(await body(ask('/readyz'))).toContain('"more"');
    report.state = 'stopping';
    expect(await body(ask('/readyz'))).toContain('"stopping"');
  });

  it.each([
    ['a report', [], 'overallHealthy'],
    ['the list of a frozen report', ['report'], 'list'],
    ['an entry of a frozen list', ['report', 'list'], 'entry'],
  ])('follow %s that its owner changes after it was seen often', async (_what, frozen, changed) => {
    const entry = { name: 'a', status: 'OK' };
    const services = [entry];
    const report = { overallHealthy: true, state: 'running', services };
    if (frozen.includes('report')) Object.freeze(report);
    if (frozen.includes('list')) Object.freeze(services);
    const ask = asking(reporterOf(() => report));
    for (let i = 0; i < 5; i++) expect((await ask('/readyz'))?.status).toBe(200);
    if (changed === 'overallHealthy') report.overallHealthy = false;
    else if (changed === 'list') services.push({ name: 'b', status: 'ERROR' });
    else entry.status = 'ERROR';
    expect((await ask('/readyz'))?.status).toBe(503);
  });
});

describe('details', () => {
  it('are there for all with "always", and for nobody by default', async () => {
    const reporter = reporterOf(() =>
      reportOf({
        status: 'ERROR',
        error: 'boom http://u:p@h',
        reason: 'failed',
        durationMs: 5,
        checkedAt: '2024-01-01T00:00:00.000Z',
        data: { a: 1 },
      }),
    );
    expect(JSON.parse((await body(asking(reporter)('/readyz'))) ?? '').services).toEqual([
      { name: 'n0', kind: 'check', status: 'ERROR', reason: 'failed' },
    ]);
    expect(JSON.parse((await body(asking(reporter, { details: 'always' })('/readyz'))) ?? '').services).toEqual([
      {
        name: 'n0',
        kind: 'check',
        status: 'ERROR',
        reason: 'failed',
        error: 'boom http://***@h',
        durationMs: 5,
        checkedAt: '2024-01-01T00:00:00.000Z',
        data: { a: 1 },
      },
    ]);
    const health = JSON.parse((await body(asking(reporter, { details: 'always' })('/readyz?format=health'))) ?? '');
    expect(health).toEqual({
      status: 'fail',
      checks: {
        'n0:responseTime': [
          {
            componentType: 'component',
            observedValue: 5,
            observedUnit: 'ms',
            status: 'fail',
            time: '2024-01-01T00:00:00.000Z',
            output: 'boom http://***@h',
            reason: 'failed',
            data: { a: 1 },
          },
        ],
      },
    });
    expect(await body(asking(reporter, { details: 'always' })('/readyz?format=text'))).toBe(
      '[-]n0 failed: boom http://***@h\nreadyz check failed\n',
    );
  });

  it('in text fall back to the reason, and name the state', async () => {
    const reporter = reporterOf(() => ({ ...reportOf({ status: 'ERROR', reason: 'stale' }), reason: 'draining' }));
    expect(await body(asking(reporter, { details: 'always' })('/readyz?format=text'))).toBe(
      '[-]n0 failed: stale\n[-]lifecycle failed: draining\nreadyz check failed\n',
    );
  });

  const told = (policy: (request: unknown) => unknown, clock = new FakeClock()) => {
    const logger = remembering();
    const reporter = reporterOf(() => reportOf({ status: 'ERROR', error: 'secret' }));
    const ask = asking(reporter, { details: policy as () => boolean, clock, logger });
    return {
      ask: async (request?: unknown) => (await body(ask('/readyz', { request })))?.includes('secret'),
      logger,
      clock,
    };
  };

  it.each([
    ['true', () => true, true],
    ['a promise of true', async () => true, true],
    ['false', () => false, false],
    ['1', () => 1, false],
    ["'yes'", () => 'yes', false],
    ['undefined', () => undefined, false],
    ['a promise of an object', async () => ({}), false],
    [
      'an error, thrown',
      () => {
        throw new Error('x');
      },
      false,
    ],
    ['an error, rejected', () => Promise.reject(new Error('x')), false],
    [
      'a thenable that throws',
      () => ({
        // biome-ignore lint/suspicious/noThenProperty: such a thing is given here
        then() {
          throw new Error('x');
        },
      }),
      false,
    ],
  ])('follow a policy that answers %s', async (_what, policy, shown) => {
    expect(await told(policy).ask()).toBe(shown);
  });

  it('are withheld when the policy has not answered within a second, whatever it says then', async () => {
    const { ask, clock, logger } = told(() => new Promise<boolean>(() => {}));
    let shown: boolean | undefined;
    void ask().then((answer) => {
      shown = answer;
    });
    await clock.advance(999);
    expect(shown).toBeUndefined();
    await clock.advance(1);
    expect(shown).toBe(false);
    expect(clock.pending).toBe(0);
    expect(logger.lines.at(-1)).toContain('the details policy of the health handler failed: no answer within 1000 ms');
  });

  it('come from a policy that is called on its object, with the request', async () => {
    const seen: unknown[] = [];
    const options = {
      secret: 'x',
      details(this: unknown, request: unknown) {
        seen.push(this, request);
        return true;
      },
    };
    class Options {
      readonly details = options.details;
    }
    const given = new Options();
    await asking(
      reporterOf(() => reportOf()),
      given,
    )('/readyz', { request: 'R' });
    expect(seen).toEqual([given, 'R']);
  });

  it('are decided before the report is read, so that no answer says ready after stop()', async () => {
    const events: string[] = [];
    const controller = new Controller();
    controller.start();
    let allow: (allowed: boolean) => void = () => {};
    const details = () => {
      events.push('policy');
      return new Promise<boolean>((resolve) => {
        allow = resolve;
      });
    };
    const reporter: HealthReporter = {
      status: () => controller.status(),
      liveness: () => controller.liveness(),
      readiness: () => {
        events.push('report');
        return controller.readiness();
      },
    };
    const answer = asking(reporter, { details })('/readyz');
    await controller.stop();
    events.push('stopped');
    allow(true);
    expect((await answer)?.status).toBe(503);
    expect(events).toEqual(['policy', 'stopped', 'report']);
  });

  it('logs a failing policy once, and that it works again', async () => {
    let fails = true;
    const { ask, logger } = told(() => {
      if (fails) throw new Error('broken');
      return false;
    });
    for (let i = 0; i < 3; i++) await ask();
    fails = false;
    for (let i = 0; i < 3; i++) await ask();
    expect(logger.lines.slice(1)).toEqual([
      'error the details policy of the health handler failed: broken',
      'info the details policy of the health handler works again',
    ]);
  });
});

describe('a reporter that is no controller', () => {
  const FAILED = '{"overallHealthy":false,"state":"unknown","reason":"report_failed","services":[]}';

  it.each([
    ['undefined', () => undefined],
    ['null', () => null],
    ['a text', () => 'healthy'],
    ['no list', () => ({ overallHealthy: true, state: 'running' })],
    ['a list of nothing', () => ({ overallHealthy: true, state: 'running', services: [null] })],
    ['an entry without a name', () => ({ overallHealthy: true, state: 'running', services: [{ status: 'OK' }] })],
    [
      'a getter that throws',
      () => ({
        get services() {
          throw new Error('x');
        },
      }),
    ],
    ['a rejection', () => Promise.reject(new Error('x'))],
    ['a rejection without an error', () => Promise.reject(undefined)],
  ])('is answered with 503 when it gives %s', async (_what, report) => {
    const answer = await asking(reporterOf(report), { details: 'always' })('/readyz');
    expect([answer?.status, answer?.body]).toEqual([503, FAILED]);
  });

  it('is answered in the format asked for when it fails', async () => {
    const ask = asking(reporterOf(() => Promise.reject(new Error('x'))));
    expect(await body(ask('/livez?format=text'))).toBe('[-]lifecycle failed: reason withheld\nlivez check failed\n');
    expect(await body(ask('/livez?format=health'))).toBe('{"status":"fail","notes":["report_failed"],"checks":{}}');
  });

  it('may settle twice, or in the same turn', async () => {
    const twice = {
      // biome-ignore lint/suspicious/noThenProperty: such a thing is given here
      then(resolve: (report: unknown) => void, reject: (error: unknown) => void) {
        resolve(reportOf());
        reject(new Error('x'));
        resolve(reportOf({ status: 'ERROR' }));
      },
    };
    expect((await asking(reporterOf(() => twice))('/readyz'))?.status).toBe(200);
    expect((await asking(reporterOf(() => reportOf()))('/readyz'))?.status).toBe(200);
  });

  it('is not trusted: an unknown status is an error, and healthy is only what shows none', async () => {
    const said = async (report: object) => {
      const answer = await asking(reporterOf(() => report))('/readyz');
      return [answer?.status, JSON.parse(answer?.body ?? '')];
    };
    expect(await said({ ...reportOf({ status: 'UP' as never }), overallHealthy: true })).toMatchObject([
      503,
      { overallHealthy: false, services: [{ status: 'ERROR' }] },
    ]);
    expect(await said({ ...reportOf({ status: 'ERROR' }), overallHealthy: true })).toMatchObject([503, {}]);
    expect(await said({ ...reportOf(), overallHealthy: 'yes' })).toMatchObject([503, { overallHealthy: false }]);
    expect(await said({ ...reportOf(), overallHealthy: false })).toMatchObject([503, { overallHealthy: false }]);
    expect(await said({ ...reportOf(), reason: 'draining' })).toMatchObject([503, { reason: 'draining' }]);
  });

  it('shows no text of its own where a code belongs', async () => {
    const report = {
      ...reportOf({ reason: 'connect ECONNREFUSED 10.0.0.5', kind: 'secret' as never }),
      state: 'http://u:p@h',
      reason: 'password is s3cret',
    };
    expect(await body(asking(reporterOf(() => report))('/readyz'))).toBe(
      '{"overallHealthy":false,"state":"unknown","reason":"other","services":[{"name":"n0","kind":"check","status":"OK"}]}',
    );
  });

  // Case 33: one broken contributor destroyed the whole report.
  it('may give data that cannot be written', async () => {
    const circular: Record<string, unknown> = { big: 10n };
    circular.self = circular;
    Object.defineProperty(circular, 'bad', {
      enumerable: true,
      get() {
        throw new Error('x');
      },
    });
    const answer = await asking(
      reporterOf(() => reportOf({ data: circular as never })),
      { details: 'always' },
    )('/readyz');
    expect([answer?.status, JSON.parse(answer?.body ?? '').services[0].data]).toEqual([
      200,
      { big: '10', self: '[circular]', bad: '[unreadable]' },
    ]);
  });

  // Case 29: one of two entries of a name hid the other.
  it('may give a name twice, and both are shown', async () => {
    const twice = reporterOf(() => reportOf({ name: 'db', status: 'ERROR' }, { name: 'db' }));
    expect(await body(asking(twice)('/readyz?format=text&exclude=x'))).toContain(
      '[-]db failed: reason withheld\n[+]db ok\n',
    );
    const { checks } = JSON.parse((await body(asking(twice)('/readyz?format=health'))) ?? '');
    expect(checks['db:responseTime'].map(({ status }: { status: string }) => status)).toEqual(['fail', 'pass']);
    expect((await asking(twice)('/readyz/db'))?.status).toBe(503);
  });

  it('without names is asked for whole reports, of which what was not asked for is left out', async () => {
    const calls: unknown[][] = [];
    const reporter = reporterOf((...args: unknown[]) => {
      calls.push(args);
      return reportOf({ name: 'a' }, { name: 'b', status: 'ERROR' }, { name: 'c', status: 'DEGRADED' });
    });
    const ask = asking(reporter);
    expect((await ask('/readyz/a'))?.status).toBe(200);
    expect((await ask('/readyz/b'))?.status).toBe(503);
    expect((await ask('/readyz/z'))?.status).toBe(404);
    expect(await body(ask('/readyz?format=text&verbose&exclude=b&exclude=z'))).toBe(
      '[+]a ok\n[+]b excluded: ok\n[+]c ok\nwarn: some health checks cannot be excluded: no matches for "z"\nreadyz check passed\n',
    );
    expect((await ask('/readyz?exclude=a'))?.status).toBe(503);
    expect(calls).toEqual([[], [], [], [], []]);
  });

  it('with names is asked for what is wanted only, and for nothing where there is no such entry', async () => {
    const calls: unknown[] = [];
    const answer = (options: unknown) => {
      calls.push(options);
      return reportOf({ name: 'a' });
    };
    const reporter = { ...reporterOf(answer as () => unknown), names: () => ['a', 'b'] } as unknown as HealthReporter;
    const ask = asking(reporter);
    await ask('/readyz');
    await ask('/readyz/a');
    await ask('/readyz?exclude=b');
    expect((await ask('/readyz/z'))?.status).toBe(404);
    // Gone between the names and the report.
    expect((await ask('/readyz/b'))?.status).toBe(404);
    expect(calls).toEqual([undefined, { only: ['a'] }, { exclude: ['b'] }, { only: ['b'] }]);
  });

  it('whose names throw is answered with 503', async () => {
    const names = () => {
      throw new Error('x');
    };
    const ask = asking({ ...reporterOf(() => reportOf()), names });
    expect((await ask('/readyz/a'))?.status).toBe(503);
    expect((await ask('/readyz'))?.status).toBe(200);
  });

  it('is logged once when it begins to fail, and once when it works again', async () => {
    const logger = remembering();
    let fails = true;
    const ask = asking(
      reporterOf(() => (fails ? Promise.reject(new Error('broken')) : reportOf())),
      { logger },
    );
    for (let i = 0; i < 3; i++) await ask('/readyz');
    fails = false;
    for (let i = 0; i < 3; i++) await ask('/readyz');
    expect(logger.lines.slice(1)).toEqual([
      'error the reporter of the health handler failed: broken',
      'info the reporter of the health handler works again',
    ]);
  });
});

describe('codes', () => {
  it('are 200, 200 and 503 by default, and any others that may carry a body', async () => {
    const results = {
      healthy: reportOf(),
      degraded: reportOf({ status: 'DEGRADED' }),
      unhealthy: reportOf({ status: 'ERROR' }),
    };
    const seen = async (codes?: object) =>
      Promise.all(
        Object.values(results).map(async (report) => {
          const ask = asking(
            reporterOf(() => report),
            codes === undefined ? {} : { codes },
          );
          return (await ask('/readyz'))?.status;
        }),
      );
    expect(await seen()).toEqual([200, 200, 503]);
    expect(await seen({ healthy: 201, degraded: 429, unhealthy: 500 })).toEqual([201, 429, 500]);
  });
});

describe('options', () => {
  it.each([
    [{ codes: { healthy: 204 } }, 'option "codes": option "healthy": expected a status code from 200 to 599'],
    [{ codes: { unhealthy: 304 } }, 'option "codes": option "unhealthy"'],
    [{ codes: { degraded: 199 } }, 'option "codes": option "degraded"'],
    [{ codes: { degraded: 600 } }, 'option "codes": option "degraded"'],
    [{ codes: { degraded: 200.5 } }, 'option "codes": option "degraded"'],
    [{ codes: { degraded: '200' } }, 'option "codes": option "degraded"'],
    [{ codes: { ok: 200 } }, 'unknown option "ok"'],
    [{ codes: 200 }, 'option "codes": expected an object of options'],
    [{ details: true }, "option \"details\": expected 'never', 'always' or a function"],
    [{ details: 'sometimes' }, 'option "details"'],
    [{ logger: {} }, 'option "logger"'],
    [{ clock: {} }, 'option "clock"'],
    [{ path: '/x' }, 'unknown option "path" (is "paths" meant?)'],
    [null, 'expected an object of options, got null'],
  ])('are refused: %j', (options, sentence) => {
    const wrong = () =>
      asking(
        reporterOf(() => reportOf()),
        options as never,
      );
    expect(wrong).toThrow(sentence);
    expect(wrong).toThrow(expect.objectContaining({ code: 'invalid_option' }));
  });

  it.each([undefined, null, {}, { status() {}, liveness() {} }, { ...reporterOf(() => 1), names: [] }])(
    'a reporter that is none is refused: %j',
    (reporter) => {
      expect(() => asking(reporter as never)).toThrow(expect.objectContaining({ code: 'invalid_option' }));
    },
  );

  it('tell the logger the effective paths once', async () => {
    const logger = remembering();
    const ask = asking(
      reporterOf(() => reportOf()),
      { logger, basePath: 'h', paths: { status: false } },
    );
    await ask('/h/readyz');
    expect(logger.lines).toEqual(['info health endpoints of test: liveness at /h/livez, readiness at /h/readyz']);
  });
});

// Case 66: a line per probe; case 37: a run per request.
it('ten thousand probes log nothing and run no polled check', async () => {
  const logger = remembering();
  const clock = new FakeClock();
  let runs = 0;
  const controller = new Controller({ clock, logger });
  const check = () => {
    runs++;
    return degraded('slow');
  };
  controller.registerCheck({ name: 'db', intervalMs: 5000, check });
  controller.start();
  await clock.advance(0);
  const ask = asking(controller, { logger });
  const before = logger.lines.length;
  for (let i = 0; i < 10_000; i++) await ask('/readyz');
  expect(logger.lines.length).toBe(before);
  expect(runs).toBe(1);
  const stopped = controller.stop();
  await clock.advance(0);
  await stopped;
  expect(clock.pending).toBe(0);
});
