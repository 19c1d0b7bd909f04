import { HealthControllerError } from '../../index.js';
import { having, readOptions, SingleFlight, where } from '../../kit.js';
import type { ContainerObservation, ExecContext, ExecOutcome, InstanceContainer, ObserveContext } from './container.js';
import { ClientMissing, type DockerClient, loadDockerode } from './docker-client.js';
import { DockerCommands } from './docker-commands.js';
import { couldNotLook, readEngineError } from './engine-fault.js';
import { readInspection } from './inspection.js';

/** Which container, and where its engine is. Exactly one of `id` and `name` is given. */
export interface DockerContainerOptions {
  /** Its id, or the beginning of it. */
  readonly id?: string | undefined;
  /** Its name: also finds the container that takes the place of one that was removed. */
  readonly name?: string | undefined;
  /**
   * The engine's unix socket (or named pipe): of Docker, or of Podman's compatible service. Absent: what `DOCKER_HOST`
   * says, else the usual socket, as dockerode decides.
   */
  readonly socketPath?: string | undefined;
  /** A dockerode client of your own, for an engine behind TLS or SSH, say. Then `socketPath` must be absent. */
  readonly docker?: DockerClient | undefined;
}

// They become part of a request's path.
const NAME = /^\/?[a-zA-Z0-9][a-zA-Z0-9_.-]{0,254}$/;
const ID = /^[0-9a-f]{4,64}$/;

const SHAPE = {
  id: where((value) => typeof value === 'string' && ID.test(value), 'a container id of 4 to 64 hexadecimal digits'),
  name: where(
    (value) => typeof value === 'string' && NAME.test(value),
    "a container name of letters, digits, '_', '.' and '-'",
  ),
  socketPath: where((value) => typeof value === 'string' && value !== '' && !value.includes('\0'), 'a path'),
  docker: having('getContainer'),
};

/**
 * A container, looked at through the Docker Engine API by dockerode (an optional peer dependency, loaded at the first
 * look). Works with Podman's compatible service too. Nothing is asked before the first look, and no connection outlives
 * its question.
 * @throws HealthControllerError `invalid_option`
 */
export function dockerContainer(options: DockerContainerOptions): InstanceContainer {
  const given: DockerContainerOptions = readOptions('dockerContainer()', SHAPE, options);
  const { id, name, socketPath, docker } = given;
  if ((id === undefined) === (name === undefined)) throw contradiction('exactly one of "id" and "name"');
  if (socketPath !== undefined && docker !== undefined) throw contradiction('"socketPath" or "docker", not both');
  const reference = id ?? name?.replace(/^\//, '') ?? '';
  return new DockerContainer(reference, () =>
    docker === undefined ? loadDockerode(socketPath) : Promise.resolve(docker),
  );
}

function contradiction(expected: string): HealthControllerError {
  return new HealthControllerError('invalid_option', `dockerContainer(): expected ${expected}`);
}

class DockerContainer implements InstanceContainer {
  readonly #reference: string;
  readonly #load: () => Promise<DockerClient>;
  readonly #loading = new SingleFlight<DockerClient>();
  readonly #commands = new DockerCommands();
  #client: DockerClient | undefined;

  constructor(reference: string, load: () => Promise<DockerClient>) {
    this.#reference = reference;
    this.#load = load;
  }

  async observe({ signal }: ObserveContext): Promise<ContainerObservation> {
    try {
      const container = (await this.#engine()).getContainer(this.#reference);
      return readInspection(await container.inspect({ abortSignal: signal }));
    } catch (error) {
      return error instanceof ClientMissing ? couldNotLook('client_missing', error.message) : readEngineError(error);
    }
  }

  async exec(command: readonly string[], context: ExecContext): Promise<ExecOutcome> {
    try {
      return await this.#commands.run((await this.#engine()).getContainer(this.#reference), command, context);
    } catch (error) {
      const seen = readEngineError(error);
      return { kind: 'refused', message: seen.status === 'missing' ? 'there is no such container' : seen.message };
    }
  }

  async #engine(): Promise<DockerClient> {
    this.#client ??= await this.#loading.run(this.#load);
    return this.#client;
  }
}
