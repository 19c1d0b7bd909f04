import { describe, expect, it } from 'vitest';
import { label, SandboxServices, type ServiceHealthState } from '../../../src/presets/sandbox-service/index.js';
import { Stage } from './support/stage.js';

const CHECKED = { readinessCheck: { path: '/readyz' } };
const ID = { workspace: 'team', sandbox: 'box', service: 'web' };

describe('a reading', () => {
  it('is undefined for what is not exposed', () => {
    const { services } = new Stage();
    expect(services.get(ID)).toBeUndefined();
    expect(services.list()).toEqual([]);
  });

  it('shows endpoint, URL and health, frozen', () => {
    const stage = new Stage();
    stage.expose(CHECKED);
    const service = stage.services.get(ID);
    expect(service).toEqual({
      endpoint: { ...ID, host: '127.0.0.1', port: 8080, readinessCheck: { path: '/readyz' } },
      url: 'http://127.0.0.1:8080/',
      health: { state: 'unknown', message: 'sandbox is not ready' },
    });
    const parts = [service, service?.endpoint, service?.endpoint.readinessCheck, service?.health];
    expect(parts.every((part) => Object.isFrozen(part))).toBe(true);
  });

  it('is what expose() and list() give too, and the same object while nothing has changed', async () => {
    const stage = new Stage();
    stage.box.ready('runtime-1');
    const exposed = stage.expose();
    expect(exposed.health.message).toBe('not checked yet');
    expect(stage.services.get(ID)).toBe(exposed);
    expect(stage.services.list()).toEqual([exposed]);
    await stage.ends(200);
    const checked = stage.services.get(ID);
    expect(checked).not.toBe(exposed);
    expect(stage.services.get(ID)).toBe(checked);
    expect(stage.services.list()[0]).toBe(checked);
  });

  it('starts nothing and changes nothing', async () => {
    const stage = new Stage();
    stage.observe();
    await stage.ends(200);
    stage.clock.freeze(15_001);
    const [calls, timers] = [stage.calls.length, stage.clock.pending];
    for (let i = 0; i < 100; i++) {
      expect(stage.health.state).toBe('unknown');
      expect(stage.services.list()[0]?.health.state).toBe('unknown');
    }
    expect([stage.calls.length, stage.clock.pending]).toEqual([calls, timers]);
    expect(stage.changes).toEqual(['unknown > healthy']);
  });

  it('shows the latest attempt while the thresholds keep the state', async () => {
    const stage = new Stage();
    stage.observe(CHECKED);
    await stage.ends(200);
    await stage.next(503);
    expect(stage.health).toEqual({
      state: 'healthy',
      lastCheckedTime: '2024-01-01T00:00:05.000Z',
      message: 'HTTP 503, expected 2xx',
      httpStatusCode: 503,
    });
    await stage.next('refused');
    expect(stage.health).toEqual({
      state: 'healthy',
      lastCheckedTime: '2024-01-01T00:00:10.000Z',
      message: 'connection refused',
    });
  });

  it('takes its time at the end of the attempt', async () => {
    const stage = new Stage();
    stage.observe();
    await stage.clock.advance(400);
    await stage.ends(200);
    expect(stage.health.lastCheckedTime).toBe('2024-01-01T00:00:00.400Z');
  });
});

describe('the URL', () => {
  it.each([
    ['::1', 'http://[::1]:8080/'],
    ['localhost', 'http://localhost:8080/'],
  ])('of host %s is %s', (host, url) => {
    const stage = new Stage();
    expect(stage.expose({ host }).url).toBe(url);
  });

  it('may be made otherwise, on the object that it was given on', () => {
    class Routes {
      readonly #domain = 'example.test';
      url({ service, sandbox }: { service: string; sandbox: string }): string {
        return `https://${service}--${sandbox}.${this.#domain}`;
      }
    }
    const services = new SandboxServices(new Routes());
    expect(services.expose({ ...ID, port: 1 }).url).toBe('https://web--box.example.test');
  });

  it('that is no string is an error, and exposes nothing', () => {
    const services = new SandboxServices({ url: () => 1 as unknown as string });
    expect(() => services.expose({ ...ID, port: 1 })).toThrow(
      'expose(): option "url": expected it to return a string, got 1',
    );
    expect(services.list()).toEqual([]);
  });
});

describe('list()', () => {
  const services = new SandboxServices();
  for (const [workspace, sandbox, service] of [
    ['w1', 'a', 'x'],
    ['w2', 'a', 'x'],
    ['w1', 'b', ''],
    ['w1', 'a', ''],
  ] as const) {
    services.expose({ workspace, sandbox, service, port: 1 });
  }
  const names = (filter?: { workspace?: string; sandbox?: string }) =>
    services.list(filter).map(({ endpoint: e }) => `${e.workspace}/${e.sandbox}/${e.service}`);

  it.each([
    [undefined, ['w1/a/x', 'w1/a/', 'w2/a/x', 'w1/b/']],
    [{ workspace: 'w1' }, ['w1/a/x', 'w1/a/', 'w1/b/']],
    [{ sandbox: 'a' }, ['w1/a/x', 'w1/a/', 'w2/a/x']],
    [{ workspace: 'w1', sandbox: 'b' }, ['w1/b/']],
    [{ workspace: 'w3' }, []],
  ])('with %j', (filter, expected) => {
    expect(names(filter)).toEqual(expected);
  });

  it('the empty name is the unnamed endpoint, and what is not named is it', () => {
    expect(services.get({ workspace: 'w1', sandbox: 'b' })).toBe(
      services.get({ workspace: 'w1', sandbox: 'b', service: '' }),
    );
    expect(services.get({ workspace: 'w1', sandbox: 'a' })?.endpoint.service).toBe('');
  });
});

// Case 28: names that are something else to an object.
it.each(['__proto__', 'constructor', 'toString', 'a/b', 'ü', ' '])('%j is a plain name everywhere', (name) => {
  const services = new SandboxServices();
  const id = { workspace: name, sandbox: name, service: name };
  services.expose({ ...id, port: 1 });
  expect(services.get(id)?.endpoint).toMatchObject(id);
  expect(services.list({ workspace: name, sandbox: name })).toHaveLength(1);
  expect(services.remove(id)).toBe(true);
});

describe('label()', () => {
  const of = (state: ServiceHealthState, readinessCheck?: { path: string }) =>
    label({ endpoint: readinessCheck === undefined ? {} : { readinessCheck }, health: { state } });

  it('promises no more than was checked', () => {
    const states = ['unknown', 'healthy', 'unhealthy'] as const;
    expect(states.map((state) => of(state))).toEqual(['Unknown', 'Responsive', 'Unresponsive']);
    expect(states.map((state) => of(state, { path: '/' }))).toEqual(['Unknown', 'Ready', 'Not ready']);
  });
});
