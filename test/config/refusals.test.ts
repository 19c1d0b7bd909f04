import { describe, expect, it } from 'vitest';
import { Controller, Supervisor } from '../../src/index.js';
import { expectRefusal, thrownBy } from './support/refusal.js';
import { TAKERS, type TakerName } from './support/takers.js';

const throws = () => {
  throw new Error('no');
};

describe('a refusal', () => {
  it.each<[unknown, string]>([
    ['5000', 'got "5000"'],
    [-1, 'got -1'],
    [2 ** 31, 'got 2147483648'],
    [Number.NaN, 'got NaN'],
    [Number.POSITIVE_INFINITY, 'got Infinity'],
    [null, 'got null'],
    [true, 'got true'],
    [10n, 'got 10'],
    [{ a: 1 }, 'got {"a":1}'],
    [Symbol('s'), 'got Symbol(s)'],
  ])('of %s shows what came', (value, shown) => {
    expectRefusal(() => TAKERS.check.give({ timeoutMs: value }), 'check "db"', '"timeoutMs"', shown);
  });

  it('survives a value that cannot be shown, and cuts a long one', () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    const odd = [
      proxy,
      Object.create(null),
      { toString: () => ({}) },
      { toJSON: throws },
      'x'.repeat(1e6),
      ['x'.repeat(1e6)],
      Object.defineProperty(new Error(), 'message', { get: throws }),
    ];
    for (const value of odd) expectRefusal(() => TAKERS.check.give({ timeoutMs: value }), /expected.*got ./s);
  });

  it('leaves nothing registered', () => {
    const controller = new Controller();
    expectRefusal(() => controller.registerCheck({ name: 'db', check: () => true, timeoutMs: 0 }));
    expectRefusal(() => controller.register('api', { probeTimeoutMs: 0 }));
    expect(controller.names('status')).toEqual([]);
    controller.register('db');
    controller.registerCheck({ name: 'api', check: () => true });
    expect(controller.names('status')).toEqual(['db', 'api']);
  });
});

describe('an unknown option', () => {
  it.each<[TakerName, string]>([
    ['controller', 'drainDelay'],
    ['controller', 'shutdownTimeout'],
    ['service', 'onStart'],
    ['service', 'probeTimeout'],
    ['restartPolicy', 'maxRetries'],
    ['stopOnGiveUp', 'threshold'],
    ['check', 'timeout'],
    ['check', 'interval'],
    ['check', 'Type'],
    ['report', 'exlude'],
    ['whenReady', 'timeout'],
    ['supervisor', 'onFail'],
    ['child', 'restart'],
    ['controller', '__proto__'],
    ['controller', 'constructor'],
    ['controller', ''],
    ['controller', 'x'.repeat(10_000)],
  ])('of a %s is refused: %s', (taker, option) => {
    const given = Object.defineProperty({}, option, { value: 1, enumerable: true });
    expectRefusal(() => TAKERS[taker].give(given), TAKERS[taker].where, 'unknown option', `"${option.slice(0, 100)}`);
  });

  it('is refused also with the value undefined: it is misspelt all the same', () => {
    expectRefusal(() => TAKERS.controller.give({ drainDelay: undefined }), '"drainDelay"');
  });

  it('is refused in an object without a prototype', () => {
    const options: object = Object.assign(Object.create(null), { drainDelay: 1 });
    expectRefusal(() => new Controller(options), '"drainDelay"');
  });

  it('comes with the option that may have been meant', () => {
    expectRefusal(() => TAKERS.check.give({ timeout: 5 }), /"timeoutMs"/);
    expectRefusal(() => TAKERS.controller.give({ drainDelay: 5 }), /"drainDelayMs"/);
  });
});

describe('an option of the other kind of check', () => {
  it.each([
    ['initialDelayMs', 1, 0],
    ['jitter', 0.5, 0],
    ['staleAfterMs', 1000, undefined],
    ['failureThreshold', 2, 1],
    ['successThreshold', 2, 1],
  ])('is refused rather than ignored: %s where nothing is polled', (option, value, neutral) => {
    expectRefusal(
      () => TAKERS.check.give({ [option]: value }),
      'check "db"',
      `"${option}"`,
      'intervalMs',
      `got ${value}`,
    );
    expect(thrownBy(() => TAKERS.check.give({ [option]: neutral }))).toBeUndefined();
    expect(thrownBy(() => TAKERS.polledCheck.give({ [option]: value }))).toBeUndefined();
  });

  it('is refused rather than ignored: maxAgeMs where the check is polled', () => {
    expectRefusal(() => TAKERS.polledCheck.give({ maxAgeMs: 5 }), 'check "db"', '"maxAgeMs"', 'intervalMs', 'got 5');
    expect(thrownBy(() => TAKERS.polledCheck.give({ maxAgeMs: 0 }))).toBeUndefined();
  });
});

describe('in the place of options', () => {
  it.each([null, 5, 'options', true, [], () => {}, Symbol('s')])('%s is refused', (value) => {
    expectRefusal(() => new Controller(value as never), 'new Controller()', 'an object');
    expectRefusal(() => new Controller().registerCheck(value as never), /registerCheck\(\)|check ""/, 'an object');
    expectRefusal(() => new Controller().register('api', value as never), 'register("api")', 'an object');
    expectRefusal(() => new Supervisor(value as never), 'new Supervisor()', 'an object');
    expectRefusal(() => new Controller().status(value as never), 'status()', 'an object');
    expectRefusal(() => void new Controller().whenReady(value as never), 'whenReady()', 'an object');
  });

  it('a check must be there, and so must its name and its function', () => {
    const registerCheck = (check: unknown) => new Controller().registerCheck(check as never);
    expectRefusal(() => registerCheck(undefined), 'registerCheck()');
    expectRefusal(() => registerCheck({ check: () => true }), 'registerCheck()', 'option "name"');
    expectRefusal(() => registerCheck({ name: 'db' }), 'check "db"', 'option "check"');
  });
});

describe('what stands alone', () => {
  it.each([undefined, null, '', 5, Symbol('s'), 'x\u0000'])('%s is no name of a hold', (name) => {
    expectRefusal(() => new Controller().hold(name as never), 'hold');
  });

  it.each([null, undefined, 1, {}])('%s is no maintenance', (maintenance) => {
    expectRefusal(() => new Controller().setMaintenance(maintenance as never), 'setMaintenance');
  });

  it.each(['nothing', '', 'State', '__proto__', 'toString', null, undefined, 5])('%s is no event', (name) => {
    for (const method of ['on', 'once'] as const) {
      expectRefusal(() => new Controller()[method](name as never, () => {}), 'on', 'state');
    }
  });

  it.each([undefined, null, 'listener', {}])('%s is no listener', (listener) => {
    expectRefusal(() => new Controller().on('state', listener as never), 'on', 'a function');
  });
});
