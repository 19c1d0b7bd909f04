import { createServer } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Kubelet, type Probes } from './support/kubelet.js';
import { freePort, until, Workbench } from './support/processes.js';

/** The periods of examples/kubernetes, fifty times as fast. */
const PROBES: Probes = {
  startup: { path: '/livez', periodMs: 40, timeoutMs: 1000, failureThreshold: 100 },
  liveness: { path: '/livez', periodMs: 200, timeoutMs: 1000, failureThreshold: 3 },
  readiness: { path: '/readyz', periodMs: 100, timeoutMs: 1000, failureThreshold: 2 },
};

describe('under a kubelet', () => {
  let bench: Workbench;
  let script: string;
  const kubelets: Kubelet[] = [];

  beforeAll(async () => {
    bench = await Workbench.open();
    script = await bench.backend();
  });
  afterEach(() => {
    for (const kubelet of kubelets.splice(0)) kubelet.stop();
  });
  afterAll(() => bench.close());

  async function pod(probes: Probes = PROBES) {
    const port = await freePort();
    const container = bench.start(process.execPath, [script, String(port), '1000']);
    const kubelet = new Kubelet(port, container, probes);
    kubelets.push(kubelet);
    return { kubelet, container };
  }

  it('a service starts, takes traffic, is taken out for maintenance and by its drain, and ends by itself', async () => {
    const { kubelet, container } = await pod();
    await until('it is ready', () => kubelet.events.includes('ready'));
    container.kill('SIGUSR2');
    await until('it is in maintenance', () => kubelet.events.includes('unready'));
    container.kill('SIGUSR2');
    await until('it is back', () => kubelet.events.at(-1) === 'ready');
    expect(await kubelet.terminate(20_000)).toBe(0);
    expect(kubelet.events).toEqual(['started', 'ready', 'unready', 'ready', 'unready']);
    expect(kubelet.failures.liveness).toBe(0);
    expect(kubelet.redirects).toBe(0);
  });

  // Case 89: liveness failed in the drain, and the process was killed in the middle of it.
  it('a drain is seen by readiness within two periods, while liveness stays as it was', async () => {
    const { kubelet, container } = await pod();
    await until('it is ready', () => kubelet.events.includes('ready'));
    // A signal that the kubelet knows nothing of, so that it goes on probing.
    container.kill('SIGTERM');
    await until('it is out', () => kubelet.events.includes('unready'));
    expect(container.exitCode).toBeNull();
    await until('it has ended', () => container.exitCode !== null);
    expect(container.exitCode).toBe(0);
    expect(kubelet.failures.liveness).toBe(0);
  });

  it('a container that never answers is restarted, so the stand-in can tell', async () => {
    const { kubelet } = await pod({
      ...PROBES,
      startup: { path: '/none', periodMs: 20, timeoutMs: 100, failureThreshold: 3 },
    });
    await until('it gives up', () => kubelet.events.includes('restarted'));
    expect(kubelet.events).toEqual(['restarted']);
  });

  it('is no redirect followed, as the stand-in would follow one', async () => {
    const server = createServer((request, response) => {
      if (request.url === '/ok') response.end();
      else response.writeHead(302, { location: '/ok' }).end();
    });
    const port = await freePort();
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    const { container } = await pod();
    const probe = { path: '/redirects', periodMs: 20, timeoutMs: 500, failureThreshold: 1 };
    const kubelet = new Kubelet(port, container, { liveness: probe, readiness: probe });
    kubelets.push(kubelet);
    await until('it is ready', () => kubelet.events.includes('ready'));
    expect(kubelet.redirects).toBeGreaterThan(0);
    server.close();
  });
});
