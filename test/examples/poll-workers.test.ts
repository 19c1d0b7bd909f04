import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RedisServer } from '../integration/client/support/redis.js';
import { needs, onPath } from '../integration/support/needs.js';

const MAIN = fileURLToPath(new URL('../../examples/poll-workers/main.mjs', import.meta.url));

const there = await needs('redis-server', () => onPath('redis-server'));

describe.skipIf(!there)('examples/poll-workers/', () => {
  let redis: RedisServer;

  beforeAll(async () => {
    redis = await RedisServer.start();
  });

  afterAll(() => redis?.stop());

  it('goes on when a worker is killed, tells of each transition once, and ends by itself', async () => {
    const env = { ...process.env, REDIS_URL: redis.url };
    const { stdout } = await promisify(execFile)(process.execPath, [MAIN], { env, timeout: 50_000 });
    const told = stdout
      .trim()
      .split('\n')
      .map((line) => line.replace(/^ *[\d.]+ s {2}/, ''));
    const running = ['alpha', 'beta', 'delta', 'epsilon', 'gamma'].map((id) => `${id} is running`);
    expect(told[0]).toBe('3 workers poll 5 instances');
    expect(told.slice(1, 6).sort()).toEqual(running);
    expect(told.slice(6)).toEqual([
      'beta is degraded',
      'one worker is killed',
      'beta is recovered',
      'the others go on with all of them',
      'the workers ended with 0 and 0',
    ]);
  });
});
