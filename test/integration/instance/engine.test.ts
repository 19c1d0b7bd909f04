import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/index.js';
import {
  badge,
  type DockerClient,
  dockerContainer,
  execProbe,
  Instance,
  type InstanceOptions,
} from '../../../src/presets/instance/index.js';
import { needs, onPath } from '../support/needs.js';
import { type ContainerPlan, create, inspect, run, STAYS } from './support/containers.js';
import { type Engine, startDocker, startPodman } from './support/engine.js';
import { eventually } from './support/eventually.js';
import { openTunnel } from './support/tunnel.js';

const hasBusybox = onPath('busybox');
const docker = await needs('docker engine', () => hasBusybox && onPath('dockerd'));
const podman = await needs('podman', () => hasBusybox && onPath('podman'));

const signal = new AbortController().signal;
const FAST = { pollIntervalMs: 100, startupTimeoutMs: 3000, readinessTimeoutMs: 3000, probeIntervalMs: 100 };

const ENGINES: readonly [string, boolean, () => Promise<Engine>][] = [
  ['Docker', docker, startDocker],
  ['Podman', podman, startPodman],
];

describe.each(ENGINES.filter(([, present]) => present))('a real engine: %s', (kind, _, startEngine) => {
  let engine: Engine;
  const instances: Instance[] = [];

  beforeAll(async () => {
    engine = await startEngine();
  });
  afterEach(async () => {
    for (const instance of instances.splice(0)) instance.stop();
    for (const { Id } of await engine.docker.listContainers({ all: true })) {
      await engine.docker.getContainer(Id).remove({ force: true });
    }
  });
  afterAll(async () => {
    await engine?.destroy();
  });

  function watch(name: string, options: Partial<InstanceOptions> = {}): { instance: Instance; flow: string[] } {
    const container = dockerContainer({ name, socketPath: engine.socketPath });
    const instance = new Instance({ ...FAST, container, ...options });
    instances.push(instance);
    const flow: string[] = [instance.status];
    instance.on('status', ({ to }) => flow.push(to));
    return { instance, flow };
  }

  async function started(plan: ContainerPlan, options: Partial<InstanceOptions> = {}) {
    const name = await run(engine, plan);
    const watched = watch(name, options);
    const status = await watched.instance.start();
    return { name, status, ...watched };
  }

  describe('a container', () => {
    it('that stays is running, after two polls', async () => {
      const { status, flow, instance } = await started({ command: STAYS });
      expect(status).toBe('running');
      expect(flow).toEqual(['pending', 'starting', 'running']);
      expect(await instance.health()).toEqual({
        container_status: 'running',
        tunnel_status: 'none',
        status: 'running',
        can_recreate_tunnel: false,
        validated: false,
      });
    });

    it('is found by its id too, also by the beginning of it', async () => {
      const { Id } = await inspect(engine, await run(engine, { command: STAYS }));
      const { socketPath } = engine;
      for (const id of [Id, Id.slice(0, 12)]) {
        expect(await dockerContainer({ id, socketPath }).observe({ signal })).toMatchObject({
          status: 'running',
          id: Id,
        });
      }
    });

    it('that exits at once is an error with its code', async () => {
      const { status, flow, instance } = await started({ command: ['sh', '-c', 'exit 3'] });
      expect(status).toBe('error');
      // A poll may have found it running for a moment.
      expect(flow.filter((state) => state !== 'starting')).toEqual(['pending', 'error']);
      expect(await instance.health()).toMatchObject({
        container_status: 'exited',
        exit_code: 3,
        message: 'the container exited with code 3',
      });
    });

    it('that crashes again and again is an error with the code it ends with', async () => {
      const plan = { command: ['sh', '-c', 'sleep 0.3; exit 2'], restart: 'always' };
      const { name, status, instance } = await started(plan);
      const health =
        status === 'error'
          ? await instance.health()
          : await eventually(
              () => instance.health(),
              (seen) => seen.status === 'error',
            );
      expect(['restarting', 'running']).toContain(health.container_status);
      expect(health.message).toContain('keeps restarting');
      // Podman shows the code only in the moment between two runs.
      if (kind === 'Docker') expect(health.exit_code).toBe(2);
      await eventually(
        async () => (await inspect(engine, name)).RestartCount,
        (count) => count >= 2,
      );
    });

    it('that takes too much memory is an error that says so, where the engine does', async () => {
      const plan = { command: ['tail', '/dev/zero'], memoryBytes: 16e6 };
      const { name, instance } = await started(plan);
      // It may live for two polls.
      await eventually(
        () => instance.status,
        (status) => status === 'error',
      );
      const { OOMKilled } = (await inspect(engine, name)).State;
      const memory = OOMKilled ? ' (out of memory)' : '';
      expect(await instance.health()).toMatchObject({
        exit_code: 137,
        message: `the container exited with code 137${memory}`,
      });
      if (kind === 'Docker') expect(OOMKilled).toBe(true);
    });

    it('that is paused keeps its status, and shows that it is', async () => {
      const { name, instance } = await started({ command: STAYS });
      await engine.docker.getContainer(name).pause();
      expect(await instance.health()).toMatchObject({ status: 'running', container_status: 'paused' });
      await engine.docker.getContainer(name).unpause();
      expect(await instance.health()).toMatchObject({ status: 'running', container_status: 'running' });
    });

    it('shows what its built-in health check says', async () => {
      // Podman takes the words of the command apart.
      const { name, instance } = await started({ command: STAYS, healthCheck: ['cat', '/tmp/well'] });
      const engineHealth = async () => {
        await engine.checkHealth(name);
        return (await instance.health()).engine_health;
      };
      await eventually(engineHealth, (health) => health === 'unhealthy');
      expect(await instance.health()).toMatchObject({ message: "the engine's own health check fails" });
      await execProbe(['touch', '/tmp/well']).run(probeContext(name));
      await eventually(engineHealth, (health) => health === 'healthy');
      expect(await instance.health()).not.toHaveProperty('message');
    });

    it('that the engine cannot start is an error with its reason, where the engine keeps it', async () => {
      const name = await create(engine, { command: ['/no/such/command'] });
      await expect(engine.docker.getContainer(name).start()).rejects.toThrow();
      const { instance } = watch(name, { startupTimeoutMs: 500 });
      expect(await instance.start()).toBe('error');
      const health = await instance.health();
      expect(health.container_status).toBe('created');
      if (kind === 'Docker') {
        expect(health.exit_code).toBe(127);
        expect(health.message).toContain('/no/such/command');
      } else {
        expect(health.message).toBe('the container was created, but not started');
      }
    });

    it('that was never made is missing', async () => {
      const { instance, flow } = watch('never-made', { startupTimeoutMs: 300 });
      expect(await instance.start()).toBe('error');
      expect(flow).toEqual(['pending', 'error']);
      expect(await instance.health()).toMatchObject({ container_status: 'missing' });
    });

    it('may come later than the start that waits for it', async () => {
      const { instance, flow } = watch('comes-later');
      const status = instance.start();
      await run(engine, { command: STAYS }, 'comes-later');
      expect(await status).toBe('running');
      expect(flow).toEqual(['pending', 'starting', 'running']);
    });

    it('that is restarted by hand goes through the gate again, and is no loop', async () => {
      const { name, instance, flow } = await started({ command: STAYS });
      await engine.docker.getContainer(name).restart({ t: 1 });
      await eventually(
        () => [...flow],
        (seen) => seen.length > 3 && seen.at(-1) === 'running',
      );
      expect(flow.slice(0, 4)).toEqual(['pending', 'starting', 'running', expect.stringMatching(/starting|error/)]);
      expect(await instance.health()).not.toHaveProperty('exit_code');
    });

    it('that is stopped is an error, and runs again when it is started', async () => {
      const { name, instance, flow } = await started({ command: STAYS });
      await engine.docker.getContainer(name).stop({ t: 2 });
      await eventually(
        () => instance.status,
        (status) => status === 'error',
      );
      await engine.docker.getContainer(name).start();
      await eventually(
        () => instance.status,
        (status) => status === 'running',
      );
      expect(flow.slice(3)).toEqual(['error', 'starting', 'running']);
    });

    it('that is removed is missing, and its name may be taken by another', async () => {
      const { name, instance } = await started({ command: STAYS });
      await engine.docker.getContainer(name).remove({ force: true });
      await eventually(
        () => instance.health(),
        (health) => health.container_status === 'missing',
      );
      expect(instance.status).toBe('error');
      await run(engine, { command: STAYS }, name);
      await eventually(
        () => instance.status,
        (status) => status === 'running',
      );
    });
  });

  describe('a probe in the container', () => {
    it('that passes later lets the instance run, validated', async () => {
      const plan = { command: ['sh', '-c', 'sleep 0.7; touch /tmp/ready; while true; do sleep 0.1; done'] };
      const readinessProbe = execProbe('[ -f /tmp/ready ]');
      const { status, flow, instance } = await started(plan, { readinessProbe });
      expect(status).toBe('running');
      expect(flow).toEqual(['pending', 'starting', 'running']);
      expect(await instance.health()).toMatchObject({ validated: true });
    });

    it('that fails leaves it unhealthy, with what the command printed', async () => {
      const readinessProbe = execProbe('echo loud; echo not yet >&2; exit 4');
      const { status, instance } = await started({ command: STAYS }, { readinessProbe, readinessTimeoutMs: 800 });
      expect(status).toBe('unhealthy');
      expect((await instance.health()).message).toMatch(/^not ready within 800 ms: .*: exit code 4: not yet$/);
    });

    it.each([
      ['is missing', execProbe(['curl', '-f', 'http://localhost']), /executable file not found/],
      ['is missing for the shell', execProbe('curl -f http://localhost'), /curl: not found/],
      ['cannot be executed', execProbe(['/tmp']), /permission denied/],
    ])('whose command %s lets it run unvalidated, and is logged', async (_name, readinessProbe, printed) => {
      const lines: string[] = [];
      const log = (line: string) => lines.push(line);
      const logger = { debug: log, info: log, warn: log, error: log };
      const { status, instance } = await started({ command: STAYS }, { readinessProbe, logger });
      expect(status).toBe('running');
      expect(lines.find((line) => line.includes('without validation'))).toMatch(printed);
      expect(await instance.health()).toMatchObject({ validated: false });
    });

    it('that hangs is given up, and no other is begun while it runs', async () => {
      const readinessProbe = execProbe(['sleep', '4']);
      const options = { readinessProbe, probeTimeoutMs: 300, readinessTimeoutMs: 1500 };
      const { name, status, instance } = await started({ command: STAYS }, options);
      expect(status).toBe('unhealthy');
      expect((await instance.health()).message).toContain('an earlier run of the command has not ended');
      const { ExecIDs } = await inspect(engine, name);
      const commands = await Promise.all((ExecIDs ?? []).map((id) => engine.docker.getExec(id).inspect()));
      expect(commands.filter(({ Running }) => Running)).toHaveLength(1);
    });

    it('that prints without end is read to its cap', async () => {
      const container = dockerContainer({ name: await run(engine, { command: STAYS }), socketPath: engine.socketPath });
      const clock = probeContext('').clock;
      const seen = await container.exec?.(['sh', '-c', 'busybox head -c 3000000 /dev/zero >&2; exit 1'], {
        signal,
        clock,
      });
      expect(seen).toMatchObject({ kind: 'ended', exitCode: 1, stdout: '' });
      expect(seen?.kind === 'ended' && seen.stderr.length).toBe(4097);
    });

    it('is ended by a crash of the container', async () => {
      const readinessProbe = execProbe(['false']);
      const { status, instance } = await started({ command: ['sh', '-c', 'sleep 0.8; exit 1'] }, { readinessProbe });
      expect(status).toBe('error');
      expect(await instance.health()).toMatchObject({ container_status: 'exited', exit_code: 1 });
    });

    it('is refused by a paused container', async () => {
      const name = await run(engine, { command: STAYS });
      await engine.docker.getContainer(name).pause();
      const finding = await execProbe(['true']).run(probeContext(name));
      expect(finding).toMatchObject({ outcome: 'failed', message: expect.stringContaining('the command was not run') });
      await engine.docker.getContainer(name).unpause();
    });
  });

  describe('an engine', () => {
    it('that hangs is told from one that is not there, and neither makes a container missing', async () => {
      const { instance } = await started({ command: STAYS }, { probeTimeoutMs: 500 });
      engine.freeze();
      expect(await instance.health()).toMatchObject({
        container_status: 'unknown',
        status: 'running',
        message: 'the container engine does not answer',
      });
      engine.thaw();
      await eventually(
        () => instance.health(),
        (health) => health.container_status === 'running',
      );
      const elsewhere = dockerContainer({ name: 'x', socketPath: `${engine.socketPath}.none` });
      expect(await elsewhere.observe({ signal })).toMatchObject({ status: 'unknown', reason: 'engine_unreachable' });
    });

    it.skipIf(process.getuid?.() !== 0)('that may not be asked is told from both', async () => {
      const container = dockerContainer({ name: 'x', socketPath: engine.socketPath });
      await container.observe({ signal });
      process.seteuid?.(65_534);
      try {
        expect(await container.observe({ signal })).toMatchObject({ status: 'unknown', reason: 'engine_permission' });
      } finally {
        process.seteuid?.(0);
      }
    });

    it('that is stopped and started again in the middle changes nothing but what it did', async () => {
      const { instance, flow } = await started({ command: STAYS, restart: 'always' });
      await engine.stop();
      await eventually(
        () => instance.health(),
        (health) => health.container_status === 'unknown',
      );
      expect(instance.status).toBe('running');
      await engine.start();
      const health = await eventually(
        () => instance.health(),
        (seen) => seen.container_status === 'running',
      );
      if (engine.ownsContainers) {
        await eventually(
          () => flow.length > 3 && instance.status,
          (status) => status === 'running',
        );
        expect(flow.slice(3)).toEqual(['starting', 'running']);
      } else {
        expect(health.status).toBe('running');
        expect(flow).toHaveLength(3);
      }
    });

    it('named by DOCKER_HOST is asked where no socket is given, and another one is not asked where one is', async () => {
      const name = await run(engine, { command: STAYS });
      const before = process.env.DOCKER_HOST;
      try {
        process.env.DOCKER_HOST = `unix://${engine.socketPath}`;
        expect(await dockerContainer({ name }).observe({ signal })).toMatchObject({ status: 'running' });
        process.env.DOCKER_HOST = 'tcp://127.0.0.1:1';
        const given = dockerContainer({ name, socketPath: engine.socketPath });
        expect(await given.observe({ signal })).toMatchObject({ status: 'running' });
      } finally {
        if (before === undefined) delete process.env.DOCKER_HOST;
        else process.env.DOCKER_HOST = before;
      }
    });

    it('may be asked through a client of the user', async () => {
      const client: DockerClient = engine.docker;
      const name = await run(engine, { command: STAYS });
      expect(await dockerContainer({ name, docker: client }).observe({ signal })).toMatchObject({ status: 'running' });
    });

    it('keeps no connection of ours once a start was aborted', async () => {
      const { name } = await started({ command: STAYS });
      const { instance } = watch(name, { readinessProbe: execProbe(['sleep', '2']) });
      const abort = new AbortController();
      const before = pipes();
      const status = instance.start({ signal: abort.signal });
      await eventually(pipes, (count) => count > before);
      abort.abort(new Error('not wanted'));
      await expect(status).rejects.toThrow('not wanted');
      for (const other of instances) other.stop();
      await eventually(pipes, (count) => count <= before);
    });
  });

  it('a web tool: its trouble is told from that of its tunnel, and each from a start', async () => {
    const port = await freePort();
    const serve = `[ -f /tmp/slow ] && sleep 1.5; touch /tmp/slow; exec httpd -f -p 127.0.0.1:${port} -h /bin`;
    const name = await run(engine, { command: ['sh', '-c', serve], network: 'host' });
    const tunnel = await openTunnel();
    try {
      await tunnel.behave('forward', `http://127.0.0.1:${port}`);
      const readinessProbe = execProbe(`wget -q -O /dev/null http://127.0.0.1:${port}/sh`);
      const { instance, flow } = watch(name, { tunnel: `${tunnel.url}sh`, readinessProbe, readinessTimeoutMs: 10_000 });
      const told = async () => {
        const health = await instance.health();
        return [health.container_status, health.tunnel_status, health.can_recreate_tunnel, badge(health)];
      };
      expect(await instance.start()).toBe('running');
      expect(await told()).toEqual(['running', 'healthy', false, undefined]);

      await engine.docker.getContainer(name).kill();
      await eventually(told, ([container]) => container === 'exited');
      expect(await told()).toEqual(['exited', 'app_error', false, 'container unhealthy']);

      await engine.docker.getContainer(name).start();
      await eventually(
        () => instance.status,
        (status) => status === 'starting',
      );
      expect(await told()).toEqual(['running', 'starting', false, 'starting…']);
      await eventually(
        () => instance.status,
        (status) => status === 'running',
      );
      expect(await told()).toEqual(['running', 'healthy', false, undefined]);
      expect(flow).toEqual(['pending', 'starting', 'running', 'error', 'starting', 'running']);

      await tunnel.kill();
      expect(await told()).toEqual(['running', 'tunnel_error', true, 'tunnel error']);
    } finally {
      await tunnel.kill();
    }
  });

  it('the example shows each trouble for what it is, and ends by itself', async () => {
    const main = fileURLToPath(new URL('../../../examples/instance/main.mjs', import.meta.url));
    const env = { ...process.env, DOCKER_HOST: `unix://${engine.socketPath}` };
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [main], { env });
    expect(stderr).toBe('');
    const told = stdout.split('\n').flatMap((line) => /^ *\d+ ms {4}(.*)$/.exec(line)?.[1] ?? []);
    expect(told).toEqual([
      'container running, tunnel healthy: [no badge]',
      'container running, tunnel tunnel_error, a new tunnel may help: [tunnel error]',
      'container running, tunnel healthy: [no badge]',
      'container exited, tunnel app_error: [container unhealthy]',
      'container running, tunnel starting: [starting…]',
      'container running, tunnel healthy: [no badge]',
    ]);
    expect(stdout).toContain('the tunnel has failed 3 times in a row (ECONNREFUSED): making a new one');
    expect(await engine.docker.listContainers({ all: true })).toEqual([]);
  });

  function probeContext(name: string) {
    const container = dockerContainer({ name: name === '' ? 'none' : name, socketPath: engine.socketPath });
    return { signal, timeoutMs: 5000, container, clock: systemClock };
  }
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

function pipes(): number {
  return process.getActiveResourcesInfo().filter((kind) => kind === 'PipeWrap').length;
}
