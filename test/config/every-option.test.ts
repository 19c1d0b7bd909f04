import { describe, expect, it } from 'vitest';
import {
  abortSignal,
  clock,
  countFrom0,
  countFrom1,
  countOrInfinity,
  durationFrom0,
  durationFrom1,
  factor,
  flag,
  fn,
  type Kind,
  logger,
  nameList,
  neededFn,
  nested,
  oneOf,
  share,
} from './support/option-kinds.js';
import { expectRefusal, thrownBy } from './support/refusal.js';
import { TAKERS, type TakerName } from './support/takers.js';

type Row = readonly [taker: TakerName, option: string, kind: Kind];

const signals: Kind = {
  expected: /signal/,
  takes: [true, false, [], ['SIGTERM'], ['SIGINT', 'SIGHUP']],
  refuses: ['SIGTERM', [15], [''], [null], ['sigterm'], ['TERM'], ['SIGKILL'], ['SIGSTOP'], 1, null, {}],
};
const stopOnGiveUp: Kind = {
  expected: /true, false or options|an object of options/,
  takes: [true, false, {}],
  refuses: [1, 'yes', null, []],
};
const dependsOn: Kind = {
  expected: /name/,
  takes: ['db', ['db', 'cache'], []],
  refuses: [1, null, true, {}, [1], [null], '', ['']],
};

const ROWS: readonly Row[] = [
  ['controller', 'signal', abortSignal],
  ['controller', 'drainDelayMs', durationFrom0],
  ['controller', 'holdTimeoutMs', durationFrom1],
  ['controller', 'shutdownTimeoutMs', durationFrom0],
  ['controller', 'signals', signals],
  ['controller', 'validError', fn],
  ['controller', 'reportRunState', flag],
  ['controller', 'logger', logger],
  ['controller', 'clock', clock],
  ['controller', 'random', fn],

  ['service', 'start', fn],
  ['service', 'stop', fn],
  ['service', 'status', fn],
  ['service', 'liveness', fn],
  ['service', 'readiness', fn],
  ['service', 'probeTimeoutMs', durationFrom1],
  ['service', 'startTimeoutMs', durationFrom1],
  ['service', 'stopTimeoutMs', durationFrom1],
  ['service', 'runToCompletion', flag],
  ['service', 'restartPolicy', nested],
  ['service', 'restartResetIntervalMs', durationFrom1],
  ['service', 'stopOnGiveUp', stopOnGiveUp],
  ['service', 'giveUpOn', fn],
  ['service', 'dependsOn', dependsOn],

  ['restartPolicy', 'maxRestarts', countOrInfinity],
  ['restartPolicy', 'initialBackoffMs', durationFrom1],
  ['restartPolicy', 'maxBackoffMs', durationFrom1],
  ['restartPolicy', 'multiplier', factor],
  ['restartPolicy', 'jitter', oneOf('none', 'full', 'equal', 'decorrelated')],
  ['restartPolicy', 'healthFailureThreshold', countFrom0],
  ['restartPolicy', 'healthCheckIntervalMs', durationFrom1],
  ['restartPolicy', 'restartResetIntervalMs', durationFrom1],
  ['restartPolicy', 'restartWindowMs', durationFrom0],

  ['stopOnGiveUp', 'healthFailureThreshold', countFrom1],
  ['stopOnGiveUp', 'healthCheckIntervalMs', durationFrom1],

  ['check', 'check', neededFn],
  ['check', 'type', oneOf('liveness', 'readiness', 'both')],
  ['check', 'critical', flag],
  ['check', 'intervalMs', durationFrom0],
  ['check', 'timeoutMs', durationFrom1],
  ['check', 'maxAgeMs', durationFrom0],
  ['check', 'maxAbandoned', countFrom1],
  ['polledCheck', 'initialDelayMs', durationFrom0],
  ['polledCheck', 'jitter', share],
  ['polledCheck', 'staleAfterMs', durationFrom1],
  ['polledCheck', 'failureThreshold', countFrom1],
  ['polledCheck', 'successThreshold', countFrom1],

  ['report', 'only', nameList],
  ['report', 'exclude', nameList],
  ['whenReady', 'signal', abortSignal],
  ['whenReady', 'timeoutMs', durationFrom1],

  ['supervisor', 'onFailure', fn],
  ['supervisor', 'stopTimeoutMs', durationFrom0],
  ['supervisor', 'logger', logger],
  ['supervisor', 'clock', clock],
  ['supervisor', 'random', fn],
  ['child', 'start', neededFn],
  ['child', 'stop', fn],
  ['child', 'validError', fn],
  ['child', 'restartPolicy', nested],
];

describe.each(ROWS)('%s: %s', (taker, option, kind) => {
  const { where, give } = TAKERS[taker];

  it('takes what it says it takes, and undefined as absent', () => {
    for (const value of kind.takes) expect(thrownBy(() => give({ [option]: value }))).toBeUndefined();
    if (!kind.refuses.includes(undefined)) expect(thrownBy(() => give({ [option]: undefined }))).toBeUndefined();
  });

  it('refuses anything else, and says where, which option, what it expected and what came', () => {
    for (const value of kind.refuses) {
      expectRefusal(() => give({ [option]: value }), where, option, kind.expected, /, got ./);
    }
  });
});
