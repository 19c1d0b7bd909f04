import { describe, expect, it } from 'vitest';
import { parseServiceHealth, type ServiceHealth, toWire } from '../../../src/presets/sandbox-service/index.js';

const TIME = '2024-01-01T00:00:05.000Z';

const pairs: readonly [string, ServiceHealth, object][] = [
  [
    'healthy',
    { state: 'healthy', lastCheckedTime: TIME, message: 'HTTP 200', httpStatusCode: 200 },
    { state: 'SERVICE_HEALTH_STATE_HEALTHY', last_checked_time: TIME, message: 'HTTP 200', http_status_code: 200 },
  ],
  [
    'unhealthy',
    { state: 'unhealthy', lastCheckedTime: TIME, message: 'connection refused' },
    { state: 'SERVICE_HEALTH_STATE_UNHEALTHY', last_checked_time: TIME, message: 'connection refused' },
  ],
  [
    'unknown',
    { state: 'unknown', message: 'not checked yet' },
    { state: 'SERVICE_HEALTH_STATE_UNKNOWN', message: 'not checked yet' },
  ],
];

describe.each(pairs)('%s', (_state, health, wire) => {
  it('travels in the names of the published message', () => {
    expect(JSON.stringify(toWire(health))).toBe(JSON.stringify(wire));
  });

  it('arrives as it left, as text or parsed, also in camel case', () => {
    expect(parseServiceHealth(JSON.stringify(wire))).toEqual(health);
    expect(parseServiceHealth(wire)).toEqual(health);
    expect(parseServiceHealth(health)).toEqual(health);
    expect(Object.isFrozen(parseServiceHealth(wire))).toBe(true);
  });
});

describe('parseServiceHealth()', () => {
  it.each([[undefined], [null], [''], ['{'], ['null'], [[]], [1], [Symbol('x')]])(
    'reads what is no health as unknown (%#)',
    (json) => {
      expect(parseServiceHealth(json)).toEqual({ state: 'unknown', message: 'no health was given' });
    },
  );

  it.each([
    [undefined, 'unknown'],
    ['SERVICE_HEALTH_STATE_UNSPECIFIED', 'unknown'],
    ['SERVICE_HEALTH_STATE_PAUSED', 'unknown'],
    ['toString', 'unknown'],
    [0, 'unknown'],
    [1, 'unknown'],
    [2, 'healthy'],
    [3, 'unhealthy'],
    [4, 'unknown'],
    [true, 'unknown'],
  ])('reads the state %j as %s', (state, expected) => {
    expect(parseServiceHealth({ state, message: 'm' })).toEqual({ state: expected, message: 'm' });
  });

  it.each([
    ['last_checked_time', 'yesterday'],
    ['last_checked_time', 1_704_067_200_000],
    ['last_checked_time', '2024-13-01T00:00:00Z'],
    ['last_checked_time', '2024-01-01'],
    ['http_status_code', 0],
    ['http_status_code', 20.5],
    ['http_status_code', 70_000],
    ['http_status_code', '200'],
  ])('leaves out a %s of %j', (field, value) => {
    expect(parseServiceHealth({ state: 2, message: 'm', [field]: value })).toEqual({ state: 'healthy', message: 'm' });
  });

  it.each(['2024-01-01T00:00:00Z', '2024-01-01T00:00:00.123456789Z', '2024-01-01T02:00:00+02:00'])(
    'keeps the time %s as it is',
    (time) => {
      expect(parseServiceHealth({ lastCheckedTime: time }).lastCheckedTime).toBe(time);
    },
  );

  it('cuts a message that is too long, and reads another one that is none as empty', () => {
    expect(parseServiceHealth({ message: 'x'.repeat(5000) }).message).toHaveLength(1024);
    expect(parseServiceHealth({ message: { a: 1 } }).message).toBe('');
  });
});
