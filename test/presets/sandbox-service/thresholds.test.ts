import { describe, expect, it } from 'vitest';
import type { SandboxServicesOptions } from '../../../src/presets/sandbox-service/index.js';
import { type Ending, Stage } from './support/stage.js';

/** The states after each attempt; a `timeout` is one that nobody ends. */
async function states(endings: readonly (Ending | 'timeout')[], options: SandboxServicesOptions = {}) {
  const stage = new Stage(options);
  stage.observe({ readinessCheck: {} });
  const seen: string[] = [];
  for (const [i, ending] of endings.entries()) {
    if (i > 0) await stage.clock.advance(4000);
    if (ending === 'timeout') await stage.clock.advance(1000);
    else {
      await stage.ends(ending);
      await stage.clock.advance(1000);
    }
    seen.push(stage.health.state);
  }
  await stage.services.stop();
  return seen;
}

// Case 47: a threshold that was honoured for network errors only.
it.each([
  [[500, 500, 500]],
  [['refused', 'refused', 'refused']],
  [['timeout', 'timeout', 'timeout']],
  [[500, 'refused', 'timeout']],
  [['timeout', 404, 302]],
] as const)('%j is unhealthy exactly on the third', async (endings) => {
  expect(await states([200, ...endings])).toEqual(['healthy', 'healthy', 'healthy', 'unhealthy']);
});

// Case 48: counting off by one.
describe('counts passes and failures in a row', () => {
  const ending = { p: 200, f: 503, i: 'inconclusive' } as const;
  const read = async (text: string, options?: SandboxServicesOptions) => {
    const endings = text.split(' ').map((letter) => ending[letter as keyof typeof ending]);
    return (await states(endings, options)).map((state) => state.slice(0, 2)).join(' ');
  };

  it.each([
    ['p f f p f f f p', {}, 'he he he he he he un he'],
    ['f f p f f f f p', {}, 'un un he he he un un he'],
    ['p f f f p f p p', { successThreshold: 2 }, 'un un un un un un un he'],
    ['p p f f f p p', { successThreshold: 2 }, 'un he he he un un he'],
    ['p f p f', { failureThreshold: 1 }, 'he un he un'],
    ['f f f f f', { failureThreshold: 5 }, 'un un un un un'],
    ['p f f i f f f', {}, 'he he he un un un un'],
    ['p p i p p', { successThreshold: 2 }, 'un he un un he'],
  ] as const)('%s with %j: %s', async (endings, options, expected) => {
    // "un" is unknown or unhealthy: which of the two, the sequences of events below say.
    expect(await read(endings, options)).toBe(expected);
  });
});

it('tells each change of state once, in order', async () => {
  const stage = new Stage();
  stage.observe();
  await stage.ends('refused');
  for (const ending of ['refused', 'refused', 'refused', 200, 200, 'refused'] as const) await stage.next(ending);
  await stage.next('inconclusive');
  await stage.next('inconclusive');
  expect(stage.changes).toEqual(['unknown > unhealthy', 'unhealthy > healthy', 'healthy > unknown']);
});

it('counts anew after a spell in which what is known was too old', async () => {
  const stage = new Stage({ intervalMs: 20_000 });
  stage.observe();
  await stage.ends(200);
  await stage.next('refused', 20_000);
  await stage.next('refused', 20_000);
  await stage.next('refused', 20_000);
  expect(stage.health.state).toBe('unknown');
  expect(stage.changes).toEqual(['unknown > healthy', 'healthy > unknown']);
});
