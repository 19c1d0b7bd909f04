import { describe, expect, it } from 'vitest';
import { subpaths } from '../../.ci/subpaths.mjs';
import { formats, runScript } from './support/script.js';

const all = JSON.stringify(subpaths().map(({ specifier }) => specifier));

// Each of them throws, and is remembered in case somebody catches that.
const trap = `
  const touched = [];
  const break_ = (owner, ...names) => {
    for (const name of names) {
      const value = () => { touched.push(name); throw new Error(name + ' was used'); };
      Object.defineProperty(owner, name, { value, configurable: true, writable: true });
    }
  };
  const { randomBytes, ...ofCrypto } = await load('node:crypto');
  break_(globalThis, 'setTimeout', 'setInterval', 'setImmediate', 'fetch');
  break_(Math, 'random');
  break_(globalThis.crypto, 'getRandomValues', 'randomUUID');
  break_(process, 'on', 'once', 'addListener', 'prependListener');
`;

describe.each(formats)('in %s', (format) => {
  it('the trap catches what uses a timer, chance, the network or the process', async () => {
    const uses = [
      'setTimeout(() => {})',
      'Math.random()',
      "fetch('x')",
      "process.on('x', () => {})",
      'crypto.randomUUID()',
    ];
    const body = `${trap} for (const use of [${uses.map((use) => `() => ${use}`).join(', ')}]) { try { use(); } catch {} } return touched;`;
    expect(await runScript(format, body)).toEqual(['setTimeout', 'random', 'fetch', 'on', 'randomUUID']);
  });

  it('an import uses no timer, chance, network or process', async () => {
    expect(await runScript(format, `${trap} for (const name of ${all}) await load(name); return touched;`)).toEqual([]);
  });

  it('nor does the making of a controller: only start() does', async () => {
    const body = `${trap}
      const { Controller } = await load('health-controller');
      new Controller();
      new Controller({ signals: true, signal: new AbortController().signal, drainDelayMs: 5 });
      return touched;`;
    expect(await runScript(format, body)).toEqual([]);
  });

  it('a process that only imports has nothing to wait for and ends', async () => {
    const body = `
      const { createHook } = await load('node:async_hooks');
      const kinds = new Set();
      const hook = createHook({ init: (id, kind) => kinds.add(kind) }).enable();
      for (const name of ${all}) await load(name);
      hook.disable();
      return { made: [...kinds], active: process.getActiveResourcesInfo() };`;
    const { made, active } = (await runScript(format, body)) as { made: string[]; active: string[] };
    // The hook sees unref'd timers too, which the list of active resources leaves out.
    expect(made.filter((kind) => /Timeout|Immediate|SIGNAL|TCP|PROCESS/i.test(kind))).toEqual([]);
    // Requests are those of the module loader, which reads files.
    expect(active.filter((kind) => !/Req/.test(kind))).toEqual([]);
  });
});
