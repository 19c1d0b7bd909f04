import { afterEach, expect, it } from 'vitest';
import { eventLoopDelay } from '../../../src/presets/index.js';
import { runCheck } from '../../../src/testing/index.js';
import { Script } from './support/script.js';

const scripts: Script[] = [];

afterEach(() => {
  for (const script of scripts.splice(0)) script.kill();
});

function block(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

it('sees a real block, and the next window is clean again', async () => {
  const check = eventLoopDelay({ windowMs: 300, degradedAboveMs: 250 });
  const blocked = runCheck(check);
  setTimeout(() => block(400), 50);
  const result = await blocked;
  expect(result).toMatchObject({ status: 'degraded', reason: 'event_loop_delay' });
  expect(result.data?.maxMs).toBeGreaterThan(350);
  expect((await runCheck(check)).status).toBe('healthy');
});

it('a main thread that was blocked for three seconds answers /livez with 200 right after, and /status tells (case 54)', async () => {
  const script = new Script(`
    import { Controller } from './src/index.js';
    import { serveHealth } from './src/http/index.js';
    import { eventLoopDelay } from './src/presets/event-loop-delay.js';
    const controller = new Controller();
    controller.registerCheck(eventLoopDelay({ unhealthyAboveMs: 1000 }));
    controller.start();
    const { url } = await serveHealth(controller, { port: 0, host: '127.0.0.1', details: 'always' });
    console.log(url);
    process.stdin.once('data', () => {
      const until = performance.now() + 3000;
      console.log('blocked');
      while (performance.now() < until);
    });
  `);
  scripts.push(script);
  const url = await script.line();
  const livez = () =>
    fetch(`${url}/livez`, { signal: AbortSignal.timeout(1000) }).then(
      ({ status }) => status,
      () => 'none',
    );
  while (!(await status()).includes('"checkedAt"'));
  async function status() {
    return (await fetch(`${url}/status?format=json`)).text();
  }
  script.say('block');
  await script.line();
  const during: unknown[] = [];
  const began = performance.now();
  while (during.at(-1) !== 200) during.push(await livez());
  expect(performance.now() - began).toBeLessThan(4500);
  expect(during.slice(0, -1).every((answer) => answer === 'none')).toBe(true);
  const report = JSON.parse(await status());
  expect(report.services[0]).toMatchObject({ name: 'event-loop-delay', status: 'ERROR', reason: 'event_loop_delay' });
  expect(report.services[0].data.maxMs).toBeGreaterThan(2500);
});
