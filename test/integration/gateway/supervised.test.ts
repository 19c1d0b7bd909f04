import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Controller, unhealthy, withRestartPolicy, withStatus } from '../../../src/index.js';
import { childProcess } from '../../../src/presets/index.js';
import { type EventRecording, recordEvents } from '../../../src/testing/index.js';
import { needs } from '../support/needs.js';
import { until, Worker } from './support/worker.js';

const hasProc = await needs('/proc', () => process.platform === 'linux');

const RESTARTED = ['service gateway started', 'service gateway retrying', 'service gateway started'];
const serviceLines = ({ lines }: EventRecording): string[] => lines.filter((line) => line.startsWith('service'));

describe.skipIf(!hasProc)('a gateway that the controller runs as a child process', () => {
  let worker: Worker;
  let controller: Controller;
  beforeEach(async () => {
    worker = await Worker.make();
  });
  afterEach(async () => {
    await worker.kill('SIGCONT');
    await controller.stop();
    await worker.dispose();
  });

  const start = async () => {
    // Neither starts nor stops it: the restart policy does.
    const gateway = worker.gateway({ passiveTimeoutMs: 1500, ensureGateway: undefined, stopGateway: undefined });
    controller = new Controller({ reportRunState: true });
    controller.register(
      'gateway',
      childProcess({
        command: process.execPath,
        args: ['gateway.mjs', 'gateway', '--port', String(worker.port)],
        cwd: worker.folder,
        killAfterMs: 300,
        readyWhen: { http: `http://127.0.0.1:${worker.port}/health` },
      }),
      withStatus(async () => {
        const { ok, error = '' } = await gateway.liveness();
        return ok || unhealthy(error);
      }),
      withRestartPolicy({ initialBackoffMs: 50, healthFailureThreshold: 2, healthCheckIntervalMs: 300 }),
    );
    gateway.attach(controller, { intervalMs: 1000 });
    const recording = recordEvents(controller);
    controller.start();
    expect(await controller.whenReady({ timeoutMs: 20_000 })).toBe(true);
    return { gateway, recording };
  };

  const isReadyAgain = (before: number | undefined) =>
    until(
      'another process is ready',
      async () => {
        return worker.pid !== undefined && worker.pid !== before && (await controller.readiness()).overallHealthy;
      },
      40_000,
    );

  it('is restarted when it crashes, and readiness says so meanwhile', async () => {
    const { gateway, recording } = await start();
    expect((await gateway.snapshot({ passive: true })).phase).toBe('ready');
    const before = worker.pid;
    await worker.kill('SIGKILL');
    await until('not ready', async () => !(await controller.readiness()).overallHealthy);
    await isReadyAgain(before);
    await until('it is told as up', () => serviceLines(recording).length >= 3);
    expect(serviceLines(recording)).toEqual(RESTARTED);
    expect((await gateway.snapshot({ passive: true })).phase).toBe('ready');
  });

  it('is restarted when it freezes: the failed polls of its status are a breach', async () => {
    const { recording } = await start();
    const before = worker.pid;
    await worker.kill('SIGSTOP');
    await isReadyAgain(before);
    await until('it is told as up', () => serviceLines(recording).length >= 3);
    expect(serviceLines(recording)).toEqual(RESTARTED);
  });

  it('is stopped with the controller', async () => {
    await start();
    const { pid } = worker;
    const outcome = await controller.stop();
    expect(outcome).toMatchObject({ exitCode: 0, unfinished: [] });
    expect(worker.owns(pid ?? 0)).toBe(false);
  });
});
