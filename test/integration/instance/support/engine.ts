import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Docker from 'dockerode';

/** A container engine of our own: its folder, its socket, its containers. */
export interface Engine {
  readonly socketPath: string;
  readonly docker: Docker;
  /** An image of busybox, made on the spot. */
  readonly image: string;
  /** Whether it stops its containers when it stops, and starts them again with it. */
  readonly ownsContainers: boolean;
  stop(): Promise<void>;
  start(): Promise<void>;
  /** Freezes and thaws the process that answers. */
  freeze(): void;
  thaw(): void;
  /** Has the engine run a container's built-in health check, where it does not do so by itself. */
  checkHealth(name: string): Promise<void>;
  destroy(): Promise<void>;
}

interface Kind {
  readonly ownsContainers: boolean;
  readonly command: (folder: string, socketPath: string) => readonly [string, ...string[]];
  readonly environment: (folder: string) => NodeJS.ProcessEnv;
  readonly checksHealthByItself: boolean;
}

const DOCKER: Kind = {
  ownsContainers: true,
  checksHealthByItself: true,
  command: (folder, socketPath) => [
    'dockerd',
    '--iptables=false',
    '--ip6tables=false',
    '--bridge=none',
    '--storage-driver=overlay2',
    `--data-root=${folder}/data`,
    `--exec-root=${folder}/exec`,
    `--pidfile=${folder}/pid`,
    '-H',
    `unix://${socketPath}`,
  ],
  environment: () => process.env,
};

const PODMAN: Kind = {
  ownsContainers: false,
  // By systemd's timers, which need not be there.
  checksHealthByItself: false,
  command: (folder, socketPath) => [
    'podman',
    '--root',
    `${folder}/root`,
    '--runroot',
    `${folder}/run`,
    '--tmpdir',
    `${folder}/tmp`,
    '--cgroup-manager=cgroupfs',
    '--events-backend=file',
    '--storage-driver=vfs',
    'system',
    'service',
    '--time=0',
    `unix://${socketPath}`,
  ],
  environment(folder) {
    // Its default limits may be above what this machine allows, and its helpers outlive a command by minutes.
    const limits = '[containers]\ndefault_ulimits = ["nofile=1024:1024", "nproc=1024:1024"]\n';
    const file = join(folder, 'containers.conf');
    writeFileSync(file, `${limits}[engine]\nexit_command_delay = 1\n`);
    return { ...process.env, CONTAINERS_CONF: file };
  },
};

export const startDocker = (): Promise<Engine> => startEngine(DOCKER);
export const startPodman = (): Promise<Engine> => startEngine(PODMAN);

async function startEngine(kind: Kind): Promise<Engine> {
  const folder = mkdtempSync(join(tmpdir(), 'hc-engine-'));
  const socketPath = join(folder, 'engine.sock');
  const docker = new Docker({ socketPath, host: undefined, port: undefined, protocol: 'http' });
  let child: ChildProcess | undefined;
  let log = '';

  const start = async () => {
    const [command, ...args] = kind.command(folder, socketPath);
    // Podman's helper leaves a file where it was started.
    const started = spawn(command, args, {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: kind.environment(folder),
    });
    child = started;
    for (const stream of [started.stdout, started.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        log = (log + text).slice(-2000);
      });
    }
    for (let tries = 0; !(await answers(docker)); tries++) {
      if (started.exitCode !== null || tries > 300) throw new Error(`${command} does not start: ${log}`);
      await sleep(100);
    }
  };
  const stop = async () => {
    const stopped = child;
    child = undefined;
    if (stopped === undefined || stopped.exitCode !== null) return;
    const gone = new Promise((resolve) => stopped.once('exit', resolve));
    stopped.kill('SIGCONT');
    stopped.kill('SIGTERM');
    await gone;
  };
  const destroy = async () => {
    try {
      for (const { Id } of await docker.listContainers({ all: true })) {
        await docker.getContainer(Id).remove({ force: true });
      }
    } finally {
      await stop();
      // Helpers of the engine's outlive it for a moment, and still write.
      for (let tries = 0; mentioned(folder) && tries < 100; tries++) await sleep(100);
      unmountBelow(folder);
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    }
  };

  try {
    await start();
    const image = await importBusybox(docker, folder);
    return {
      socketPath,
      docker,
      image,
      ownsContainers: kind.ownsContainers,
      start,
      stop,
      freeze: () => child?.kill('SIGSTOP'),
      thaw: () => child?.kill('SIGCONT'),
      checkHealth: (name) => (kind.checksHealthByItself ? Promise.resolve() : checkHealthNow(socketPath, name)),
      destroy,
    };
  } catch (error) {
    await destroy().catch(() => {});
    throw error;
  }
}

async function answers(docker: Docker): Promise<boolean> {
  try {
    await docker.ping();
    return true;
  } catch {
    return false;
  }
}

/** Whether a command line names the folder. */
function mentioned(folder: string): boolean {
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .some((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(folder);
      } catch {
        return false;
      }
    });
}

/** Docker leaves the network of the host mounted. */
function unmountBelow(folder: string): void {
  for (const line of readFileSync('/proc/mounts', 'utf8').split('\n')) {
    const [, point = ''] = line.split(' ');
    if (point.startsWith(`${folder}/`)) execFileSync('umount', ['-l', point]);
  }
}

const APPLETS = ['sh', 'sleep', 'cat', 'echo', 'touch', 'rm', 'tail', 'true', 'false', 'httpd', 'wget'];

async function importBusybox(docker: Docker, folder: string): Promise<string> {
  const busybox = execFileSync('sh', ['-c', 'command -v busybox'], { encoding: 'utf8' }).trim();
  const root = join(folder, 'image');
  mkdirSync(join(root, 'bin'), { recursive: true });
  mkdirSync(join(root, 'tmp'));
  cpSync(busybox, join(root, 'bin/busybox'), { dereference: true });
  for (const applet of APPLETS) symlinkSync('busybox', join(root, 'bin', applet));
  const archive = join(folder, 'image.tar');
  execFileSync('tar', ['-C', root, '-cf', archive, '.']);
  const progress = await docker.importImage(archive, { repo: 'hc/busybox', tag: 'test' });
  const steps = await new Promise<{ status?: string }[]>((resolve, reject) => {
    docker.modem.followProgress(progress, (error: Error | null, output: { status?: string }[]) => {
      if (error === null) resolve(output);
      else reject(error);
    });
  });
  const id = steps.at(-1)?.status;
  if (id === undefined) throw new Error('the engine named no image');
  return id;
}

/** Podman's own API: the compatible one has no such call. */
function checkHealthNow(socketPath: string, name: string): Promise<void> {
  const path = `/v4.0.0/libpod/containers/${name}/healthcheck`;
  return new Promise((resolve, reject) => {
    get({ socketPath, path, agent: false }, (response) => {
      response.resume().on('end', () => resolve());
    }).on('error', reject);
  });
}
