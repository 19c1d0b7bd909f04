import { Agent } from 'node:http';
import { errorText, isErrorLike, printable } from '../../kit.js';

/** What is used of dockerode, by its shape, so that nobody needs its types. */
export interface DockerClient {
  getContainer(id: string): DockerContainerHandle;
}

export interface DockerContainerHandle {
  inspect(options: { abortSignal: AbortSignal }): PromiseLike<unknown>;
  exec(options: {
    Cmd: string[];
    AttachStdout: boolean;
    AttachStderr: boolean;
    abortSignal: AbortSignal;
  }): PromiseLike<DockerExec>;
}

export interface DockerExec {
  start(options: { Detach: boolean; Tty: boolean; abortSignal: AbortSignal }): PromiseLike<DockerStream>;
  inspect(options: { abortSignal: AbortSignal }): PromiseLike<unknown>;
}

/** The output of a command: a readable stream. */
export interface DockerStream extends AsyncIterable<unknown> {
  destroy(): unknown;
}

/** Thrown where the optional peer cannot be loaded. */
export class ClientMissing extends Error {}

/** Makes a client of dockerode, which is loaded only now. */
export async function loadDockerode(socketPath: string | undefined): Promise<DockerClient> {
  const Dockerode = await importDockerode();
  // A socket for each question: one that is kept open would go down with the engine and take the next question along.
  const agent = new Agent({ keepAlive: false });
  // A path that was given must win over DOCKER_HOST and its companions, which dockerode reads first.
  return socketPath === undefined
    ? new Dockerode({ agent })
    : new Dockerode({ agent, socketPath, host: undefined, port: undefined, protocol: 'http', timeout: undefined });
}

type DockerodeConstructor = new (options: object) => DockerClient;

async function importDockerode(): Promise<DockerodeConstructor> {
  try {
    return (await import('dockerode')).default as unknown as DockerodeConstructor;
  } catch (error) {
    throw new ClientMissing(isErrorLike(error) ? errorText(error) : printable(error), { cause: error });
  }
}
