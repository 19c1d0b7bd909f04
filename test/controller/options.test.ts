import { describe, expect, it } from 'vitest';
import { Controller, type ControllerOptions, type HealthCheck, isHealthControllerError } from '../../src/index.js';

function refusal(call: () => unknown): string {
  try {
    call();
  } catch (error) {
    if (isHealthControllerError(error, 'invalid_option')) return error.message;
    throw error;
  }
  throw new Error('nothing was thrown');
}

const control = (option: string, value: unknown) => () =>
  new Controller({ [option]: value } as unknown as ControllerOptions);
const register = (check: object) => new Controller().registerCheck(check as HealthCheck);
const check = (option: string, value: unknown) => () => register({ name: 'db', check: () => true, [option]: value });
const polled = (option: string, value: unknown) => () =>
  register({ name: 'db', check: () => true, intervalMs: 1000, [option]: value });
const service = (option: string, value: unknown) => () => new Controller().register('api', { [option]: value });

type Making = (option: string, value: unknown) => () => unknown;

/** Every duration, with what takes it, and whether 0 means something. */
const DURATIONS: readonly (readonly [option: string, make: Making, zero: boolean])[] = [
  ['drainDelayMs', control, true],
  ['holdTimeoutMs', control, false],
  ['shutdownTimeoutMs', control, true],
  ['timeoutMs', check, false],
  ['intervalMs', check, true],
  ['maxAgeMs', check, true],
  ['initialDelayMs', polled, true],
  ['staleAfterMs', polled, false],
  ['probeTimeoutMs', service, false],
  ['startTimeoutMs', service, false],
  ['stopTimeoutMs', service, false],
];
const NO_DURATION = [Number.NaN, Number.POSITIVE_INFINITY, -1, 2 ** 31, '5000', null, true, {}, 5n];

describe('durations', () => {
  // Case 6: a delay above 2^31-1 fires every millisecond.
  it.each(DURATIONS)('%s refuses what is none, and says what it expected and what came', (option, make, zero) => {
    for (const value of [...NO_DURATION, ...(zero ? [] : [0, 0.5])]) {
      const said = refusal(make(option, value));
      expect(said).toContain(option);
      expect(said).toMatch(/expected .*milliseconds/);
      expect(said).toMatch(/got /);
    }
    for (const value of [1, 2_147_483_647, undefined, ...(zero ? [0] : [])]) expect(make(option, value)).not.toThrow();
  });
});

describe('options that are no durations', () => {
  it.each<[string, Making, readonly unknown[]]>([
    ['signal', control, [{}, 'abort', new AbortController()]],
    ['validError', control, ['yes', true, {}]],
    ['reportRunState', control, [1, 'true', null]],
    ['logger', control, [{}, console.log, { info() {} }, null]],
    ['clock', control, [{}, Date, null]],
    ['random', control, [0.5, {}, null]],
    ['signals', control, ['SIGTERM', ['SIGTREM'], [7], [''], 1, null]],
    ['type', check, ['Readiness', 'ready', '', null, 1]],
    ['critical', check, [0, 'no', null]],
    ['jitter', polled, [-0.1, 1.1, Number.NaN, '0.5', null]],
    ['failureThreshold', polled, [0, -1, 1.5, Number.NaN, '3', null]],
    ['successThreshold', polled, [0, -1, 1.5, Number.NaN, '3', null]],
    ['maxAbandoned', check, [0, -1, 1.5, Number.NaN, '2', null]],
    ['check', check, [undefined, null, 'url', {}]],
    ['runToCompletion', service, [1, 'yes', null]],
  ])('%s refuses what it cannot take', (option, make, values) => {
    for (const value of values) expect(refusal(make(option, value))).toContain(option);
  });

  it.each<[string, Making]>([
    ['drainDelay', control],
    ['timeout', check],
    ['interval', check],
    ['strat', service],
  ])('%s is no option, and is named', (option, make) => {
    expect(refusal(make(option, 1))).toContain(option);
  });

  it.each([null, 7, 'options', () => {}])('%s is no object of options', (value) => {
    refusal(() => new Controller(value as unknown as ControllerOptions));
    refusal(() => new Controller().registerCheck(value as unknown as HealthCheck));
  });

  it('of a class instance may be inherited, and what is no option of it is left alone', () => {
    class Options {
      readonly drainDelayMs = 5;
      readonly other = 'of the application';
      get shutdownTimeoutMs() {
        return 7;
      }
    }
    expect(() => new Controller(new Options())).not.toThrow();
    class Wrong {
      get drainDelayMs() {
        return -1;
      }
    }
    expect(refusal(() => new Controller(new Wrong()))).toContain('drainDelayMs');
  });
});
