import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PollRecord } from '../../../src/client/index.js';
import { until } from '../gateway/support/worker.js';
import { needs, onPath } from '../support/needs.js';
import { RedisServer } from './support/redis.js';

const EXAMPLE = new URL('../../../examples/poll-workers/', import.meta.url);
const EVERY_MS = 500;
const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

interface Poll {
  readonly instance: string;
  readonly job: string;
  readonly worker: number;
  readonly beganAt: number;
  /** How many polls of this instance were under way when it began, itself included. */
  readonly atOnce: number;
  endedAt?: number;
}

/** Instances that note who asks them, and when. Each takes `latencyMs` to answer. */
class Instances {
  readonly polls: Poll[] = [];
  readonly latencyMs = new Map<string, number>();
  readonly #server = createServer((request, response) => this.#poll(request, response));

  async listen(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  underWay(instance?: string): Poll[] {
    return this.polls.filter((poll) => poll.endedAt === undefined && (instance ?? poll.instance) === poll.instance);
  }

  #poll(request: IncomingMessage, response: ServerResponse): void {
    const instance = request.url?.split('/')[1] ?? '';
    const poll: Poll = {
      instance,
      job: String(request.headers['x-poll-job']),
      worker: Number(request.headers['x-poll-worker']),
      beganAt: performance.now(),
      atOnce: this.underWay(instance).length + 1,
    };
    this.polls.push(poll);
    response.once('close', () => {
      poll.endedAt = performance.now();
    });
    const ok = { ok: true };
    const body = { ts: '2026-01-01T00:00:00Z', startup: ok, readiness: ok, liveness: ok };
    setTimeout(() => response.end(JSON.stringify(body)), this.latencyMs.get(instance) ?? 150);
  }
}

const there = await needs('redis-server', () => onPath('redis-server'));

describe.skipIf(!there)('three workers on one Redis', () => {
  const ids = [...Array.from({ length: 20 }, (_, index) => `i${index}`), 'slow'];
  const instances = new Instances();
  const workers: ChildProcess[] = [];
  const clients: { quit(): Promise<unknown> }[] = [];
  let redis: RedisServer;

  beforeAll(async () => {
    redis = await RedisServer.start();
  });

  afterAll(async () => {
    for (const worker of workers) worker.kill('SIGKILL');
    for (const client of clients) await client.quit();
    instances.close();
    await redis?.stop();
  });

  it('poll every instance, none twice at once and no job twice, also when one is killed in the middle of it', async () => {
    const { openQueue, schedule } = await import(new URL('queue.mjs', EXAMPLE).href);
    const base = await instances.listen();
    // Longer than its interval: its next job is due while a try is under way.
    instances.latencyMs.set('slow', 1200);
    const queue = openQueue(redis.url);
    const client = new Redis(redis.url);
    clients.push({ quit: () => queue.close() }, client);
    // Twice, as by two control planes that start at the same time: one schedule each all the same.
    for (const id of [...ids, ...ids]) await schedule(queue, { id, url: `${base}/${id}/api/health` }, EVERY_MS);
    expect(await queue.getJobSchedulersCount()).toBe(ids.length);

    for (let i = 0; i < 3; i++) {
      const env = { ...process.env, REDIS_URL: redis.url };
      const worker = fork(fileURLToPath(new URL('worker.mjs', EXAMPLE)), { env });
      workers.push(worker);
      await once(worker, 'message');
    }
    const polled = (id: string, since: number) =>
      instances.polls.filter(({ instance, beganAt }) => instance === id && beganAt >= since).length;
    await until('every instance was polled five times', () => ids.every((id) => id === 'slow' || polled(id, 0) >= 5));
    expect(new Set(instances.polls.map(({ worker }) => worker)).size).toBeGreaterThan(1);

    let interrupted: Poll[] = [];
    await until('a worker is in the middle of some', () => {
      const [first] = instances.underWay();
      interrupted = instances.underWay().filter(({ worker }) => worker === first?.worker);
      return interrupted.length > 0;
    });
    const killed = workers.find(({ pid }) => pid === interrupted[0]?.worker);
    killed?.kill('SIGKILL');
    const killedAt = performance.now();
    await once(killed as ChildProcess, 'exit');
    await until('every instance goes on', () => ids.every((id) => polled(id, killedAt + 100) >= 4), 40_000);

    const after = instances.polls.filter(({ beganAt }) => beganAt > killedAt + 1000);
    expect(new Set(after.map(({ worker }) => worker)).has(killed?.pid ?? 0)).toBe(false);
    expect(instances.polls.filter(({ atOnce }) => atOnce > 1)).toEqual([]);

    // Each job once; one that its worker could not end may have been taken over by another.
    const taken = new Map<string, Poll[]>();
    for (const poll of instances.polls) taken.set(poll.job, [...(taken.get(poll.job) ?? []), poll]);
    for (const [job, polls] of taken) {
      if (polls.length === 1) continue;
      expect(polls[0]?.worker, job).toBe(killed?.pid);
      expect(polls, job).toHaveLength(2);
    }

    // One schedule each: no instance is asked more often than its interval says.
    const spanMs = performance.now() - (instances.polls[0]?.beganAt ?? 0);
    for (const id of ids) expect(polled(id, 0), id).toBeLessThanOrEqual(spanMs / EVERY_MS + 2);

    // Whichever workers saw it, it has begun to run once.
    const entries = await client.xrange('poll:transitions', '-', '+');
    expect(entries.map(([, fields]) => `${fields[1]} ${fields[3]}`).sort()).toEqual(
      ids.map((id) => `${id} running`).sort(),
    );
    for (const id of ids) {
      const record = JSON.parse((await client.get(`poll:record:${id}`)) ?? '{}') as PollRecord;
      expect(record, id).toMatchObject({ instanceStatus: 'running', reachable: true, lost: false });
    }

    const others = workers.filter((worker) => worker !== killed);
    const exits = others.map((worker) => once(worker, 'exit'));
    for (const worker of others) worker.kill('SIGTERM');
    expect((await Promise.all(exits)).map(([code]) => code)).toEqual([0, 0]);
    const { length } = instances.polls;
    await sleep(2 * EVERY_MS);
    expect(instances.polls).toHaveLength(length);
  }, 120_000);
});
