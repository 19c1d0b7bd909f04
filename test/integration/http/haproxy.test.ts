import type { ChildProcess } from 'node:child_process';
import { Agent } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { needs, onPath } from '../support/needs.js';
import { ask } from './support/ask.js';
import { ending, freePort, until, Workbench } from './support/processes.js';

const there = await needs('haproxy', () => onPath('haproxy'));

const DRAIN_MS = 1500;

describe.skipIf(!there)('behind HAProxy, which asks /readyz every 200 ms', () => {
  let bench: Workbench;
  let script: string;
  let origin: string;
  let ports: number[];
  const instances = new Map<number, ChildProcess>();

  const startInstance = (port: number) => {
    instances.set(port, bench.start(process.execPath, [script, String(port), String(DRAIN_MS)]));
  };
  const instanceOf = (port: number) => {
    const instance = instances.get(port);
    if (instance === undefined) throw new Error(`nothing on ${port}`);
    return instance;
  };
  /** Which instances answer through the load balancer. */
  const answering = async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => ask(origin, '/')));
    return new Set(answers.map(({ status, headers }) => (status === 200 ? headers['x-instance'] : status)));
  };
  const name = (port: number) => `${port}/${instanceOf(port).pid}`;

  beforeAll(async () => {
    bench = await Workbench.open();
    script = await bench.backend();
    ports = [await freePort(), await freePort()];
    const front = await freePort();
    origin = `http://127.0.0.1:${front}`;
    for (const port of ports) startInstance(port);
    // Without retries: nothing but the drain keeps a request from failing.
    const config = `
      global
        maxconn 500
      defaults
        mode http
        retries 0
        timeout connect 2s
        timeout client 30s
        timeout server 30s
      frontend front
        bind 127.0.0.1:${front}
        default_backend back
      backend back
        balance roundrobin
        option httpchk
        http-check send meth GET uri /readyz
        default-server check inter 200ms fall 2 rise 2
        ${ports.map((port) => `server s${port} 127.0.0.1:${port}`).join('\n        ')}
    `;
    bench.start('haproxy', ['-db', '-f', await bench.file('haproxy.cfg', config.replace(/^ +/gm, '').trimStart())]);
    await until('both instances answer', async () => (await answering()).size === 2);
  });

  afterAll(() => bench.close());

  it('an instance in maintenance is taken out, and brought back when it is over', async () => {
    const [first = 0, second = 0] = ports;
    instanceOf(first).kill('SIGUSR2');
    await until('only the other one answers', async () => {
      const seen = await answering();
      return seen.size === 1 && seen.has(name(second));
    });
    instanceOf(first).kill('SIGUSR2');
    await until('both answer again', async () => {
      const seen = await answering();
      return seen.size === 2 && seen.has(name(first));
    });
  });

  it('no request fails in a rolling restart under load', async () => {
    const failures: unknown[] = [];
    let answered = 0;
    let loading = true;
    const worker = async (path: string) => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      while (loading) {
        try {
          const { status, body } = await ask(origin, path, { agent });
          if (status === 200 && body === 'done') answered++;
          else failures.push(status);
        } catch (error) {
          failures.push(String(error));
        }
      }
      agent.destroy();
    };
    const workers = ['/', '/', '/', '/', '/slow', '/slow'].map(worker);
    for (const port of ports) {
      const before = answered;
      const old = instanceOf(port);
      old.kill('SIGTERM');
      expect(await ending(old)).toBe(0);
      startInstance(port);
      await until('the new instance answers', async () => (await answering()).has(name(port)));
      expect(answered).toBeGreaterThan(before);
    }
    loading = false;
    await Promise.all(workers);
    expect(failures).toEqual([]);
    expect(answered).toBeGreaterThan(100);
  });
});
