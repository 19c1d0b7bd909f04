// The part that makes a container. The library itself never makes, starts or removes one.
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** An engine and an image of busybox; or, as a text, what is missing. */
export async function connect() {
  let Docker;
  try {
    Docker = (await import('dockerode')).default;
  } catch {
    return 'the package dockerode (npm install dockerode)';
  }
  let docker;
  try {
    docker = new Docker();
    await docker.ping();
  } catch (error) {
    return `a container engine that may be asked (${error.code ?? error.message})`;
  }
  const image = (await local(docker)) ?? (await made(docker)) ?? (await pulled(docker));
  return image === undefined
    ? 'an image to run (docker pull busybox, or a static busybox on this machine)'
    : { docker, image };
}

export async function runTool(docker, image, name, script) {
  const container = await docker.createContainer({
    name,
    Image: image,
    Cmd: ['sh', '-c', script],
    HostConfig: { NetworkMode: 'none' },
  });
  await container.start();
  return container;
}

export async function removeTool(container) {
  await container.remove({ force: true });
}

const REFERENCE = 'busybox:latest';

async function local(docker) {
  return docker
    .getImage(REFERENCE)
    .inspect()
    .then(
      ({ Id }) => Id,
      () => undefined,
    );
}

/** An image made of this machine's busybox, where that needs no libraries. */
async function made(docker) {
  const folder = await mkdtemp(join(tmpdir(), 'health-controller-example-'));
  try {
    const { stdout } = await run('sh', ['-c', 'command -v busybox']);
    const { stdout: kind } = await run('sh', ['-c', 'ldd "$0" 2>&1 || true', stdout.trim()]);
    if (!/not a dynamic executable|statically linked/.test(kind)) return undefined;
    await mkdir(join(folder, 'image/bin'), { recursive: true });
    await mkdir(join(folder, 'image/tmp'));
    await cp(stdout.trim(), join(folder, 'image/bin/busybox'), { dereference: true });
    for (const applet of ['sh', 'sleep', 'touch', 'rm', 'cat'])
      await symlink('busybox', join(folder, 'image/bin', applet));
    const archive = join(folder, 'image.tar');
    await run('tar', ['-C', join(folder, 'image'), '-cf', archive, '.']);
    const steps = await followed(docker, await docker.importImage(archive, { repo: 'health-controller/example' }));
    return steps.at(-1)?.status;
  } catch {
    return undefined;
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function pulled(docker) {
  try {
    await followed(docker, await docker.pull(REFERENCE));
    return await local(docker);
  } catch {
    return undefined;
  }
}

function followed(docker, stream) {
  return new Promise((resolve, reject) => {
    docker.modem.followProgress(stream, (error, steps) => (error ? reject(error) : resolve(steps)));
  });
}
