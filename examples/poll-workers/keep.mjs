// One try for one instance, and what is kept of it in Redis, so that any worker can go on with it.
import { randomUUID } from 'node:crypto';
import { pollOnce, recordPoll, startRecord } from 'health-controller/client';

/** Of one instance: who polls it now, and its record; of all: what has happened. */
const lockOf = (id) => `poll:lock:${id}`;
export const recordOf = (id) => `poll:record:${id}`;
export const TRANSITIONS = 'poll:transitions';

export const TIMEOUT_MS = 2000;
/** Longer than a try can take: it runs out only where a worker has died. */
const LOCK_MS = TIMEOUT_MS + 1000;

// The record is replaced and its transitions are told in one step, or, where the lock has gone to another worker, neither.
const KEEP = `
  if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
  redis.call('SET', KEYS[2], ARGV[2])
  for i = 4, #ARGV do
    redis.call('XADD', KEYS[3], 'MAXLEN', '~', 10000, '*', 'instance', ARGV[3], 'transition', ARGV[i])
  end
  redis.call('DEL', KEYS[1])
  return 1`;

/** The one clock that all workers share. */
async function serverTimeMs(redis) {
  const [seconds, micros] = await redis.time();
  return Number(seconds) * 1000 + Math.floor(Number(micros) / 1000);
}

/**
 * Polls an instance, unless another worker is at it. Says what it came to.
 * @returns {Promise<'kept' | 'busy' | 'too late'>}
 */
export async function pollInstance(redis, { id, url }, headers = {}) {
  const token = randomUUID();
  if ((await redis.set(lockOf(id), token, 'PX', LOCK_MS, 'NX')) === null) return 'busy';
  const result = await pollOnce({ url, timeoutMs: TIMEOUT_MS, headers });
  const [nowMs, kept] = await Promise.all([serverTimeMs(redis), redis.get(recordOf(id))]);
  const before = kept === null ? startRecord(nowMs) : JSON.parse(kept);
  const [record, transitions] = recordPoll(before, result, nowMs, { lostAfterMs: 300_000 });
  const keys = [lockOf(id), recordOf(id), TRANSITIONS];
  const written = await redis.eval(KEEP, keys.length, ...keys, token, JSON.stringify(record), id, ...transitions);
  return written === 1 ? 'kept' : 'too late';
}
