import { describe, expect, it } from 'vitest';
import {
  dockerContainer,
  Instance,
  type InstanceOptions,
  parseReadinessProbe,
} from '../../../src/presets/instance/index.js';
import { resolveInstance } from '../../../src/presets/instance/options.js';
import { found, ScriptedContainer } from './support/doubles.js';

const container = new ScriptedContainer([found()]);

describe('the defaults of an instance', () => {
  it('are those of the specification', () => {
    const { container: _, logger: __, clock: ___, ...defaults } = resolveInstance({ container });
    expect(defaults).toEqual({
      name: 'instance',
      tunnel: undefined,
      readinessProbe: undefined,
      startupTimeoutMs: 30_000,
      pollIntervalMs: 2000,
      readinessTimeoutMs: 30_000,
      probeTimeoutMs: 5000,
      probeIntervalMs: 2000,
      tunnelIntervalMs: 10_000,
      recreate: { failures: 3, minGapMs: 60_000 },
      onTunnelBroken: undefined,
    });
  });

  it('give way to what the probe brings along, and that to what the instance is given', () => {
    const readinessProbe = parseReadinessProbe({ command: 'x', readinessTimeoutMs: 60_000, probeTimeoutMs: 900 });
    expect(resolveInstance({ container, readinessProbe, probeTimeoutMs: 800 })).toMatchObject({
      readinessTimeoutMs: 60_000,
      probeTimeoutMs: 800,
      probeIntervalMs: 2000,
    });
  });
});

describe('an option is refused', () => {
  const probe = (timing: object) => ({ readinessProbe: { run() {}, ...timing } });
  it.each<[string, object, string]>([
    ['no container', { container: undefined }, 'option "container": expected an object with the methods observe'],
    ['a container that cannot be looked at', { container: {} }, 'option "container"'],
    ['an empty name', { name: '' }, 'option "name"'],
    ['a tunnel that is no URL', { tunnel: 'tunnel-17' }, 'option "tunnel": expected an http or https URL'],
    ['a tunnel of another scheme', { tunnel: 'ws://x.test' }, 'option "tunnel": expected an http or https URL'],
    ['a tunnel that is no URL at all', { tunnel: 17 }, 'option "tunnel": expected a URL, or a function'],
    [
      'a probe that cannot run',
      { readinessProbe: {} },
      'option "readinessProbe": expected an object with the methods run',
    ],
    ['a probe with a wrong timing', probe({ probeTimeoutMs: 0 }), 'option "readinessProbe": option "probeTimeoutMs"'],
    ['a timeout of 0', { startupTimeoutMs: 0 }, 'option "startupTimeoutMs": expected a number of milliseconds from 1'],
    ['an interval of 0', { pollIntervalMs: 0 }, 'option "pollIntervalMs"'],
    ['an interval that is too long', { probeIntervalMs: 2 ** 31 }, 'option "probeIntervalMs"'],
    ['a timeout that is NaN', { readinessTimeoutMs: Number.NaN }, 'option "readinessTimeoutMs"'],
    ['a timeout as a text', { probeTimeoutMs: '5000' }, 'option "probeTimeoutMs"'],
    ['a negative interval', { tunnelIntervalMs: -1 }, 'option "tunnelIntervalMs"'],
    ['a policy that is none', { recreatePolicy: 3 }, 'option "recreatePolicy"'],
    [
      'a policy with a misspelt rule',
      { recreatePolicy: { failure: 3 } },
      'option "recreatePolicy": unknown option "failure"',
    ],
    ['a listener that is none', { onTunnelBroken: true }, 'option "onTunnelBroken": expected a function'],
    ['a misspelt option', { readyProbe: {} }, 'unknown option "readyProbe"'],
  ])('%s', (_, options, sentence) => {
    const make = () => new Instance({ container, ...options } as InstanceOptions);
    expect(make).toThrow(sentence);
    expect(make).toThrow(expect.objectContaining({ code: 'invalid_option' }));
  });

  it.each([[{ signal: {} }], [{ timeoutMs: 5 }]])('of start(): %j', (options) => {
    const instance = new Instance({ container });
    expect(() => instance.start(options as object)).toThrow(expect.objectContaining({ code: 'invalid_option' }));
    expect(instance.status).toBe('pending');
  });

  it('of on(): another event, or a listener that is none', () => {
    const instance = new Instance({ container });
    expect(() => instance.on('health' as 'status', () => {})).toThrow("expected 'status'");
    expect(() => instance.on('status', undefined as never)).toThrow('expected a function');
  });
});

it('functions are called on the object of options that they were given in', async () => {
  class Tool {
    readonly container = container;
    readonly #url = undefined;
    calls = 0;
    tunnel(): undefined {
      this.calls++;
      return this.#url;
    }
  }
  const tool = new Tool();
  await new Instance(tool).health();
  expect(tool.calls).toBe(1);
});

it('nothing is asked, and nothing loaded, before the first look', () => {
  const instance = new Instance({ container: dockerContainer({ name: 'tool', socketPath: '/nowhere' }) });
  expect(instance.status).toBe('pending');
  expect(instance.name).toBe('instance');
});
