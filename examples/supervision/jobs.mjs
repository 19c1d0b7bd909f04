// A service that owns a supervisor and survives its own restart.
import { Supervisor, unhealthy } from 'health-controller';
import { aborted } from './worker.mjs';

/**
 * A supervisor is used once. So `start` builds everything that a run needs, and `stop` releases all of it: nothing of
 * one run is left for the next to trip over. What outlives a run, here the list of wanted jobs, is only read by it.
 */
export class Jobs {
  /** @type {Supervisor | undefined} */
  #supervisor;
  #wanted;
  #tell;

  /**
   * @param {readonly string[]} wanted
   * @param {(text: string) => void} tell
   */
  constructor(wanted, tell) {
    this.#wanted = wanted;
    this.#tell = tell;
  }

  start() {
    const supervisor = new Supervisor({
      onFailure: ({ name, error, restarts }) => this.#tell(`job ${name}: failed after ${restarts} restarts (${error})`),
    });
    for (const name of this.#wanted) {
      supervisor.attach({
        name,
        start: ({ signal }) => this.#work(name, signal),
        restartPolicy: { maxRestarts: 1, initialBackoffMs: 50 },
      });
    }
    supervisor.start();
    this.#supervisor = supervisor;
  }

  /** @param {import('health-controller').StopContext} context */
  async stop(context) {
    await this.#supervisor?.stop(context);
    this.#supervisor = undefined;
  }

  /** Can it take work? Whatever becomes of one job. */
  readiness() {
    return this.#supervisor?.readiness() ?? unhealthy('there is no supervisor');
  }

  /** How its jobs are. */
  health() {
    return this.#supervisor?.health() ?? {};
  }

  /**
   * @param {string} name
   * @param {AbortSignal} signal
   */
  async #work(name, signal) {
    if (name === 'thumbnails') throw new Error('no codec');
    this.#tell(`job ${name}: at work`);
    await aborted(signal);
    this.#tell(`job ${name}: done`);
  }
}
