import { describe, expect, it } from 'vitest';
import { isHealthControllerError } from '../../../src/index.js';
import { SandboxServices } from '../../../src/presets/sandbox-service/index.js';
import paths from '../../vectors/readiness-paths.json' with { type: 'json' };
import thresholds from '../../vectors/thresholds.json' with { type: 'json' };
import { type Ending, Stage } from './support/stage.js';

/** A stage whose attempts stay open as long as the test wants, so that what is known can age. */
class Steps extends Stage {
  #runtime = 1;
  #path = 0;

  constructor() {
    super({ timeoutMs: 1_000_000 });
    this.observe({ readinessCheck: { path: '/0' } });
  }

  async step(step: string): Promise<void> {
    const aged = /^age:(\d+)$/.exec(step)?.[1];
    if (aged !== undefined) await this.clock.advance(Number(aged));
    else if (step === 'pass') await this.#observation(200);
    else if (step === 'fail') await this.#observation('refused');
    else if (step === 'inconclusive') await this.#observation('inconclusive');
    else if (step === 'reconfigure') this.expose({ readinessCheck: { path: `/${++this.#path}` } });
    else if (step === 'replace-runtime') this.box.ready(`runtime-${++this.#runtime}`);
    else if (step === 'not-ready') this.box.notReady();
    else if (step === 'ready') this.box.ready(`runtime-${this.#runtime}`);
    else throw new Error(`no such step: ${step}`);
  }

  async #observation(how: Ending): Promise<void> {
    // After an aging, and after a reset, an attempt is under way already.
    if (this.last.open) await this.ends(how);
    else await this.next(how);
  }
}

describe('thresholds.json', () => {
  it.each(thresholds.cases.map((row) => [row.name, row] as const))('%s', async (_name, { steps, state }) => {
    const stage = new Steps();
    if (state !== undefined) expect(stage.health.state).toBe(state);
    for (const [step, expected] of steps) {
      await stage.step(step ?? '');
      expect([step, stage.health.state]).toEqual([step, expected]);
    }
    await stage.services.stop();
    expect(stage.clock.pending).toBe(0);
  });

  it('has the defaults of the preset', async () => {
    const { intervalMs, timeoutMs, failureThreshold, successThreshold, staleAfterMs } = thresholds.defaults;
    const stage = new Stage();
    stage.observe();
    // The deadline, and the tick after the first: nothing else is waited for.
    expect(stage.clock.timers.map(({ delayMs }) => delayMs)).toEqual([timeoutMs, intervalMs]);
    for (let i = 0; i < successThreshold; i++) await (i === 0 ? stage.ends(200) : stage.next(200));
    expect(stage.health.state).toBe('healthy');
    for (let i = 0; i < failureThreshold; i++) {
      expect(stage.health.state).toBe('healthy');
      await stage.next('refused');
    }
    expect(stage.health.state).toBe('unhealthy');
    stage.clock.freeze(staleAfterMs);
    expect(stage.health.state).toBe('unhealthy');
    stage.clock.freeze(1);
    expect(stage.health.state).toBe('unknown');
  });
});

const expose = (path: string) => {
  const services = new SandboxServices();
  const exposed = services.expose({ workspace: 'w', sandbox: 's', port: 1, readinessCheck: { path } });
  return exposed.endpoint.readinessCheck?.path;
};

/** The path as the service sees it. */
const sent = async (path: string) => {
  const stage = new Stage();
  stage.observe({ readinessCheck: { path } });
  stage.last.connect();
  await stage.settle();
  return stage.last.line.sent.split(' ')[1];
};

const refused = (path: string) => {
  try {
    expose(path);
    return 'accepted';
  } catch (error) {
    return isHealthControllerError(error, 'invalid_option') && error.message.includes('readinessCheck.path');
  }
};

describe('readiness-paths.json', () => {
  it.each(paths.accepted)('accepts $path', async ({ path, effective, sent: expected }) => {
    expect(expose(path)).toBe(effective);
    expect(await sent(path)).toBe(expected ?? effective);
  });

  it.each(paths.rejected)('rejects $path: $why', ({ path }) => {
    expect(refused(path)).toBe(true);
  });

  it.each(paths.lengths)('$bytes bytes of $fill: $accepted', ({ bytes, fill, accepted }) => {
    const unit = new TextEncoder().encode(fill).length;
    const path = `/${fill.repeat((bytes - 1) / unit)}`;
    expect(new TextEncoder().encode(path).length).toBe(bytes);
    if (accepted) expect(expose(path)).toBe(path);
    else expect(refused(path)).toBe(true);
  });
});
