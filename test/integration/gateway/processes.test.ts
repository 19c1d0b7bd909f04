import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { classifyOpenClawProcess, type GatewayPhase } from '../../../src/presets/gateway/index.js';
import { listProcesses } from '../../../src/presets/gateway/list-processes.js';
import { scanPs } from '../../../src/presets/gateway/scan-ps.js';
import { needs, onPath } from '../support/needs.js';
import { until, Worker } from './support/worker.js';

const hasProc = await needs('/proc', () => process.platform === 'linux');
const hasPs = await needs('ps', () => onPath('ps'));
const context = { signal: new AbortController().signal };

let worker: Worker;
beforeEach(async () => {
  worker = await Worker.make();
});
afterEach(() => worker.dispose());

describe.skipIf(!hasProc)('a real gateway process', () => {
  it('is started in the background by an activating snapshot, and its phases are seen on the way', async () => {
    const gateway = worker.gateway();
    const phases: string[] = [];
    gateway.on('phase', ({ to }) => phases.push(to));
    worker.set('delay', '300');
    expect(await gateway.snapshot()).toMatchObject({ status: 'stopped', phase: 'cold_start' });
    await until('the script is listed', async () => (await gateway.snapshot()).processType === 'script');
    await until('ready', async () => (await gateway.snapshot()).phase === 'ready');
    expect(await gateway.snapshot()).toMatchObject({
      status: 'running',
      processId: String(worker.pid),
      processType: 'gateway',
      startup: { ok: true, latencyMs: 0 },
    });
    expect(phases[0]).toBe('cold_start');
    expect(phases.at(-1)).toBe('ready');
  });

  it('that is killed is dead, and started again', async () => {
    const gateway = worker.gateway();
    await worker.start();
    expect((await gateway.snapshot()).phase).toBe('ready');
    const before = worker.pid;
    await worker.kill('SIGKILL');
    expect(await gateway.snapshot({ passive: true })).toMatchObject({ phase: 'dead', status: 'stopped' });
    expect(worker.pid).toBeUndefined();
    await gateway.snapshot();
    await until('ready again', async () => (await gateway.snapshot({ passive: true })).phase === 'ready');
    expect(worker.pid).not.toBe(before);
  });

  it('that is frozen is there but dead, in the time of a passive snapshot, and well once it goes on', async () => {
    const gateway = worker.gateway({ passiveTimeoutMs: 400 });
    await worker.start();
    await gateway.snapshot({ passive: true });
    await worker.kill('SIGSTOP');
    const beganAt = performance.now();
    const frozen = await gateway.snapshot({ passive: true });
    expect(performance.now() - beganAt).toBeLessThan(2000);
    expect(frozen).toMatchObject({ phase: 'dead', status: 'starting', processType: 'gateway' });
    expect(frozen.liveness.error).toBe('the health request timed out');
    await worker.kill('SIGCONT');
    await until('ready again', async () => (await gateway.snapshot({ passive: true })).phase === 'ready');
  });

  it('is restarted: degraded while its start script runs, then ready as another process', async () => {
    const gateway = worker.gateway();
    await worker.start();
    await gateway.snapshot();
    const before = worker.pid;
    worker.set('linger', '');
    const phases = new Set<GatewayPhase>();
    const restart = gateway.restart();
    await until('degraded', async () => {
      const { phase } = await gateway.snapshot();
      phases.add(phase);
      return phase === 'degraded';
    });
    worker.unset('linger');
    await restart;
    expect(await gateway.snapshot()).toMatchObject({ phase: 'ready' });
    expect(worker.pid).not.toBe(before);
    expect([...phases]).not.toContain('cold_start');
  });

  it('whose start script never exits is stuck', async () => {
    const gateway = worker.gateway({ stuckAfterMs: 300 });
    worker.set('linger', '');
    await gateway.snapshot();
    await until('stuck', async () => (await gateway.snapshot()).phase === 'stuck');
    worker.unset('linger');
    await until('ready', async () => (await gateway.snapshot()).phase === 'ready');
  });

  it('whose configuration is refused is not started again until a restart', async () => {
    worker.set('refuse', '');
    const gateway = worker.gateway();
    const kinds: string[] = [];
    gateway.on('activation', ({ kind }) => kinds.push(kind));
    await gateway.snapshot();
    await until('refused', () => kinds.includes('refused'));
    expect((await gateway.snapshot()).readiness.error).toMatch(/refused.*exited with 78$/);
    worker.unset('refuse');
    await gateway.snapshot();
    expect(kinds).toEqual(['begun', 'refused']);
    await gateway.restart();
    expect((await gateway.snapshot()).phase).toBe('ready');
  });

  it('completes its startup only once its backup is restored', async () => {
    const backup = { hadBackup: true, restored: false };
    const gateway = worker.gateway({
      restoreStatus: () => backup,
      restoreIfNeeded: () => {
        backup.restored = false;
      },
    });
    await worker.start();
    expect((await gateway.snapshot()).phase).toBe('starting_backup');
    backup.restored = true;
    expect((await gateway.snapshot()).phase).toBe('ready');
  });

  it('is in the list of this machine under its rewritten title, and this process is not', async () => {
    await worker.start();
    const found = await listProcesses(context);
    const own = found.filter(({ id }) => worker.owns(Number(id)));
    expect(own).toEqual([{ id: String(worker.pid), command: 'openclaw-gateway', status: 'running' }]);
    expect(found.map(({ id }) => id)).not.toContain(String(process.pid));
    expect(own.map(classifyOpenClawProcess)).toEqual(['gateway']);
  });
});

describe.skipIf(!hasProc)('the list of this machine', () => {
  it('is read while hundreds of processes come and go, without a fault', async () => {
    let over = false;
    const churn = (async () => {
      while (!over) {
        await new Promise((resolve) => spawn('true', { stdio: 'ignore' }).once('exit', resolve));
      }
    })();
    for (let i = 0; i < 15; i++) {
      const found = await listProcesses(context);
      expect(found.length).toBeGreaterThan(0);
      expect(found.filter(({ status }) => status !== 'running')).toEqual([]);
    }
    over = true;
    await churn;
  });

  it('has no zombies', async () => {
    // The shell's child ends at once and is never waited for.
    const parent = spawn('sh', ['-c', 'sh -c "exit 0" & exec sleep 30'], { stdio: 'ignore' });
    try {
      const { pid = 0 } = parent;
      const children = async (): Promise<string[]> => {
        return (await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')).split(' ').filter((id) => id !== '');
      };
      await until('a zombie', async () => {
        const [child] = await children();
        return child !== undefined && (await readFile(`/proc/${child}/stat`, 'utf8')).includes(') Z ');
      });
      const [zombie] = await children();
      const ids = (await listProcesses(context)).map(({ id }) => id);
      expect(ids).toContain(String(pid));
      expect(ids).not.toContain(zombie);
    } finally {
      parent.kill('SIGKILL');
    }
  });

  it('is the same as that of ps', async ({ skip }) => {
    if (!hasPs) skip();
    await worker.start();
    const [found, byPs] = await Promise.all([listProcesses(context), scanPs(context)]);
    const own = ({ id }: { id?: string | number | undefined }): boolean => worker.owns(Number(id));
    expect(byPs.filter(own)).toEqual(found.filter(own));
    expect(byPs.map(({ id }) => id)).not.toContain(String(process.pid));
    expect(byPs.some(({ command }) => command.startsWith('ps -A'))).toBe(false);
  });
});

it('a ps that is not there or does not end in time is an error', async () => {
  await expect(scanPs(context, '/nonexistent/ps')).rejects.toThrow('ENOENT');
  await expect(scanPs({ signal: AbortSignal.timeout(50) }, '/bin/cat')).rejects.toThrow();
});
