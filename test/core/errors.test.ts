import { describe, expect, it } from 'vitest';
import { HealthControllerError, isHealthControllerError } from '../../src/core/errors.js';

describe('HealthControllerError', () => {
  it('carries its code, its sentence and its cause', () => {
    const cause = new Error('why');
    const error = new HealthControllerError('restart_failed', 'the service "api" did not start again', { cause });
    expect(error).toBeInstanceOf(Error);
    expect(error).toMatchObject({
      name: 'HealthControllerError',
      code: 'restart_failed',
      message: 'the service "api" did not start again',
      cause,
    });
    expect(new HealthControllerError('stopped', 'x')).not.toHaveProperty('cause');
  });
});

describe('isHealthControllerError', () => {
  // The class as another copy of the package has it.
  class AnotherCopy extends Error {
    override readonly name = 'HealthControllerError';
    readonly code = 'stopped';
  }

  it.each([
    ['its own', new HealthControllerError('stopped', 'x')],
    ['one from another copy of the package', new AnotherCopy('x')],
    ['one that came as a plain shape', { name: 'HealthControllerError', code: 'stopped', message: 'x' }],
  ])('knows %s, and by its code', (_what, error) => {
    expect(isHealthControllerError(error)).toBe(true);
    expect(isHealthControllerError(error, 'stopped')).toBe(true);
    expect(isHealthControllerError(error, 'stopping')).toBe(false);
  });

  const throwing = new Proxy(
    {},
    {
      get() {
        throw new Error('no');
      },
      has() {
        throw new Error('no');
      },
    },
  );

  it.each<[string, unknown]>([
    ['an error of the system', Object.assign(new Error('x'), { code: 'ENOENT' })],
    ['a plain Error', new Error('x')],
    ['an error of that name without a code', Object.assign(new Error('x'), { name: 'HealthControllerError' })],
    ['undefined', undefined],
    ['null', null],
    ['a text', 'stopped'],
    ['a number', 1],
    ['what throws when it is looked at', throwing],
  ])('does not take %s for one', (_what, value) => {
    expect(isHealthControllerError(value)).toBe(false);
    expect(isHealthControllerError(value, 'stopped')).toBe(false);
  });
});
