import { describe, expect, it } from 'vitest';
import { formats, runScript } from './support/script.js';

const refused = `
  const refused = (make) => {
    try { make(); } catch (error) { return error; }
    throw new Error('nothing was thrown');
  };
`;

describe.each(formats)('in %s', (format) => {
  it.each([
    ['', 'new loaded.Controller({ drainDelayMs: -1 })'],
    ['/http', 'loaded.createHealthHandler(new Controller(), { noSuchOption: true })'],
    ['/express', 'loaded.healthRouter(new Controller(), { noSuchOption: true })'],
    ['/fetch', 'loaded.createFetchHandler(new Controller(), { noSuchOption: true })'],
    ['/presets', "loaded.diskSpace({ name: 'disk', noSuchOption: true })"],
    ['/presets/instance', 'new loaded.Instance({ noSuchOption: true })'],
    ['/presets/sandbox-service', 'new loaded.SandboxServices({ noSuchOption: true })'],
  ])('an error thrown by health-controller%s is of the one class', async (path, make) => {
    const body = `${refused}
      const { Controller, HealthControllerError } = await load('health-controller');
      const loaded = await load('health-controller${path}');
      const error = refused(() => ${make});
      return [error instanceof HealthControllerError, error.code, error.message];`;
    expect(await runScript(format, body)).toEqual([true, 'invalid_option', expect.any(String)]);
  });

  it.each([
    ['customError', "z.config({ customError: () => 'changed by the user' })"],
    ['localeError', "z.config({ localeError: () => 'changed by the user' })"],
    ['jitless', 'z.config({ jitless: true })'],
    ['a locale', 'z.config(z.locales.fr())'],
  ])("the user's z.config() changes no outcome of ours: %s", async (_, configure) => {
    const prelude = `${refused}
      const outcomes = ({ Controller }) =>
        [{ drainDelayMs: -1 }, { drainDelayMs: '1' }, { drainDelayMs: NaN }, { noSuchOption: 1 }, 7].map((options) => {
          const { code, message } = refused(() => new Controller(options));
          return { code, message };
        });
      const { z } = await load('zod');
    `;
    const later = `${prelude}
      const ours = await load('health-controller');
      const before = outcomes(ours);
      ${configure};
      return [before, outcomes(ours)];`;
    const [before, after] = (await runScript(format, later)) as [unknown, unknown];
    expect(before).toEqual(Array(5).fill({ code: 'invalid_option', message: expect.any(String) }));
    expect(after).toEqual(before);
    const first = `${prelude} ${configure}; return outcomes(await load('health-controller'));`;
    expect(await runScript(format, first)).toEqual(before);
  });
});

it('an error of the ESM copy is recognised by the CommonJS copy, and the other way round', async () => {
  const body = `${refused}
    const esm = await import('health-controller');
    const cjs = require('health-controller');
    const from = ({ Controller }) => refused(() => new Controller({ drainDelayMs: -1 }));
    return [
      esm.HealthControllerError !== cjs.HealthControllerError,
      esm.isHealthControllerError(from(cjs), 'invalid_option'),
      cjs.isHealthControllerError(from(esm), 'invalid_option'),
    ];`;
  expect(await runScript('cjs', body)).toEqual([true, true, true]);
});
