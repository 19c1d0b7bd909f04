import type Docker from 'dockerode';
import type { Engine } from './engine.js';

export interface ContainerPlan {
  readonly command: readonly string[];
  readonly restart?: string;
  readonly memoryBytes?: number;
  readonly network?: 'none' | 'host';
  readonly healthCheck?: readonly string[];
}

let made = 0;

/** Makes a container and does not start it. Its name is not used twice. */
export async function create(
  engine: Engine,
  plan: ContainerPlan,
  name = `hc-${process.pid}-${made++}`,
): Promise<string> {
  const { command, restart, memoryBytes, network = 'none', healthCheck } = plan;
  await engine.docker.createContainer({
    name,
    Image: engine.image,
    Cmd: [...command],
    HostConfig: {
      NetworkMode: network,
      ...(restart === undefined ? undefined : { RestartPolicy: { Name: restart } }),
      ...(memoryBytes === undefined ? undefined : { Memory: memoryBytes, MemorySwap: memoryBytes }),
    },
    ...(healthCheck === undefined
      ? undefined
      : { Healthcheck: { Test: ['CMD', ...healthCheck], Interval: 200e6, Timeout: 1e9, Retries: 1 } }),
  });
  return name;
}

export async function run(engine: Engine, plan: ContainerPlan, name?: string): Promise<string> {
  const created = await create(engine, plan, name);
  await engine.docker.getContainer(created).start();
  return created;
}

/** One that stays, and ends at once when it is told to. */
export const STAYS = ['sh', '-c', 'trap exit TERM; while true; do sleep 0.1; done'];

export async function inspect(engine: Engine, name: string): Promise<Docker.ContainerInspectInfo> {
  return engine.docker.getContainer(name).inspect();
}
