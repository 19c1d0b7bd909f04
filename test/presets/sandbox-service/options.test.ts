import { describe, expect, it } from 'vitest';
import { type ExposeRequest, SandboxServices } from '../../../src/presets/sandbox-service/index.js';
import { Line, Stage } from './support/stage.js';

const ID = { workspace: 'w', sandbox: 's' };

describe('an option that is wrong is refused', () => {
  it.each([
    ['intervalMs', 0],
    ['intervalMs', '5000'],
    ['intervalMs', 2 ** 31],
    ['timeoutMs', 0],
    ['timeoutMs', Number.NaN],
    ['failureThreshold', 0],
    ['failureThreshold', 1.5],
    ['successThreshold', 0],
    ['staleAfterMs', 0],
    ['staleAfterMs', Number.POSITIVE_INFINITY],
    ['maxConcurrent', 0],
    ['relay', 'direct'],
    ['url', 'http://x'],
    ['logger', {}],
    ['clock', {}],
  ])('%s: %j', (name, value) => {
    expect(() => new SandboxServices({ [name]: value })).toThrow(
      expect.objectContaining({
        code: 'invalid_option',
        message: expect.stringContaining(`option "${name}": expected`),
      }),
    );
  });

  it('an unknown one: with what may be meant', () => {
    expect(() => new SandboxServices({ interval: 1 } as object)).toThrow(
      'unknown option "interval" (is "intervalMs" meant?)',
    );
  });
});

describe('a request that is wrong is refused', () => {
  const at = (request: object) => () => new SandboxServices().expose({ ...ID, port: 1, ...request } as ExposeRequest);

  it.each([
    [{ workspace: '' }],
    [{ workspace: undefined }],
    [{ sandbox: 'a\nb' }],
    [{ sandbox: 'x'.repeat(257) }],
    [{ service: 'a\0b' }],
    [{ service: 'x'.repeat(257) }],
    [{ service: null }],
    [{ port: 0 }],
    [{ port: 65_536 }],
    [{ port: 80.5 }],
    [{ port: '80' }],
    [{ port: undefined }],
    [{ host: '' }],
    [{ host: 1 }],
    [{ readinessCheck: null }],
    [{ readinessCheck: '/readyz' }],
    [{ readinessCheck: { path: 1 } }],
    [{ readinessCheck: { paths: '/' } }],
    [{ check: {} }],
  ])('%j', (request) => {
    expect(at(request)).toThrow(expect.objectContaining({ code: 'invalid_option' }));
  });

  it('as are a filter, an identity, a sandbox, a runtime and a listener', () => {
    const services = new SandboxServices();
    const wrong = [
      () => services.list({ workspaces: 'a' } as object),
      () => services.get({ workspace: 'w' } as never),
      () => services.remove({ ...ID, port: 1 } as never),
      () => services.sandbox('', 's'),
      () => services.sandbox('w', '\n'),
      () => services.sandbox('w', 's').ready(''),
      () => services.on('changed' as 'change', () => {}),
      () => services.once('change', 'no' as never),
      () => services.off('change', undefined as never),
      () => services.handler({ path: 'services' }),
      () => services.attach({ registerCheck: () => ({}) as never }, { gate: 1 as never }),
    ];
    for (const act of wrong) expect(act).toThrow(expect.objectContaining({ code: 'invalid_option' }));
  });

  it('changes nothing', () => {
    const services = new SandboxServices();
    const exposed = services.expose({ ...ID, port: 1 });
    expect(() => services.expose({ ...ID, port: -1 })).toThrow();
    expect(services.list()).toEqual([exposed]);
  });
});

describe('the host', () => {
  const host = (given: string, relayed: boolean) => {
    const services = new SandboxServices(relayed ? { relay: () => new Line() } : {});
    try {
      return services.expose({ ...ID, port: 1, host: given }).endpoint.host;
    } catch {
      return 'refused';
    }
  };

  // Without a relay, observing must not become a way to reach other machines.
  it.each([
    ['127.0.0.1', '127.0.0.1', '127.0.0.1'],
    ['127.255.1.2', '127.255.1.2', '127.255.1.2'],
    ['::1', '::1', '::1'],
    ['0:0::1', '::1', '::1'],
    ['LOCALHOST', 'localhost', 'localhost'],
    ['10.0.0.1', 'refused', '10.0.0.1'],
    ['0.0.0.0', 'refused', '0.0.0.0'],
    ['::', 'refused', '::'],
    ['::ffff:127.0.0.1', 'refused', '::ffff:7f00:1'],
    ['::ffff:10.0.0.1', 'refused', '::ffff:a00:1'],
    ['169.254.169.254', 'refused', '169.254.169.254'],
    ['2130706433', 'refused', '2130706433'],
    ['0x7f000001', 'refused', '0x7f000001'],
    ['127.1', 'refused', '127.1'],
    ['localhost.evil.example', 'refused', 'localhost.evil.example'],
    ['127.0.0.1.nip.example', 'refused', '127.0.0.1.nip.example'],
    ['internal.local', 'refused', 'internal.local'],
    ['service_1', 'refused', 'service_1'],
    ['[::1]', 'refused', 'refused'],
    ['fe80::1%eth0', 'refused', 'refused'],
    ['127.0.0.1:80', 'refused', 'refused'],
    ['user@127.0.0.1', 'refused', 'refused'],
    ['127.0.0.1/x', 'refused', 'refused'],
    ['local host', 'refused', 'refused'],
    ['a\r\nX: y', 'refused', 'refused'],
    ['-', 'refused', 'refused'],
    ['x'.repeat(254), 'refused', 'refused'],
  ])('%s is without a relay %s, with one %s', (given, direct, relayed) => {
    expect([host(given, false), host(given, true)]).toEqual([direct, relayed]);
  });
});

describe('every option counts', () => {
  // Case 5: one option's value ends up in another.
  it('each timer is that of its own option', async () => {
    const stage = new Stage({ intervalMs: 503, timeoutMs: 211, staleAfterMs: 401 });
    stage.observe();
    expect(stage.clock.timers.map(({ delayMs }) => delayMs)).toEqual([211, 503]);
    await stage.ends(200);
    expect(stage.clock.timers.map(({ dueAt }) => dueAt)).toEqual([402]);
    await stage.clock.advance(402);
    expect(stage.health.state).toBe('unknown');
  });

  it('relay is called on the object that it was given on', () => {
    class Tunnel {
      readonly #lines: Line[] = [];
      relay(): Line {
        const line = new Line();
        this.#lines.push(line);
        return line;
      }
      get lines(): number {
        return this.#lines.length;
      }
    }
    const tunnel = new Tunnel();
    const services = new SandboxServices(tunnel);
    services.expose({ ...ID, port: 1 });
    services.sandbox('w', 's').ready('1');
    expect(tunnel.lines).toBe(1);
    return services.stop();
  });

  it('logger is told one line per change, and may throw', async () => {
    const lines: string[] = [];
    const write = (level: string) => (message: string, fields?: object) => {
      lines.push(`${level}: ${message} ${JSON.stringify(fields)}`);
      throw new Error('disk full');
    };
    const logger = { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') };
    const stage = new Stage({ logger, failureThreshold: 1 });
    stage.observe({ readinessCheck: {} });
    await stage.ends(200);
    await stage.next(200);
    await stage.next(503);
    await stage.next(503);
    const id = '"workspace":"team","sandbox":"box","service":"web"';
    expect(lines).toEqual([
      `info: service "web" of sandbox "box" is healthy: HTTP 200 {${id},"from":"unknown","to":"healthy","httpStatusCode":200}`,
      `warn: service "web" of sandbox "box" is unhealthy: HTTP 503, expected 2xx {${id},"from":"healthy","to":"unhealthy","httpStatusCode":503}`,
    ]);
  });
});

describe('listeners', () => {
  it('come and go, once or for good, and harm nobody', async () => {
    const stage = new Stage();
    const heard: string[] = [];
    const note = (name: string) => () => heard.push(name);
    const a = note('a');
    stage.services.on('change', () => {
      throw new Error('no');
    });
    stage.services.on('change', a);
    const off = stage.services.on('change', note('b'));
    stage.services.once('change', note('once'));
    stage.observe();
    await stage.ends(200);
    off();
    stage.services.off('change', a);
    stage.box.notReady();
    expect(heard).toEqual(['a', 'b', 'once']);
  });
});
