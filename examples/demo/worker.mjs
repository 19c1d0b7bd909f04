// A background worker as a service: it runs until it is told to stop, and a probe watches its progress.
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { unhealthy } from 'health-controller';

const LONGEST_PAUSE_MS = 2000;

/** Does a job every 100 ms, writing what it did to a journal. */
export class Worker {
  #journal;
  #lastJobAt = 0;
  #broken = false;
  jobs = 0;

  /** @param {string} directory */
  constructor(directory) {
    this.#journal = join(directory, 'journal');
  }

  /**
   * Stays pending: it runs in the foreground. `ready()` says that it is up, and `signal` tells it to end.
   * @param {import('health-controller').StartContext} context
   */
  async start({ signal, ready }) {
    await this.#work();
    ready();
    while (!signal.aborted) {
      await sleep(100);
      await this.#work();
    }
  }

  /** Its next job fails, as jobs do: the worker crashes. */
  breakNextJob() {
    this.#broken = true;
  }

  /** A probe: does it get on? */
  status() {
    const pauseMs = performance.now() - this.#lastJobAt;
    return pauseMs < LONGEST_PAUSE_MS ? undefined : unhealthy(`no job was done for ${Math.round(pauseMs)} ms`);
  }

  async #work() {
    if (this.#broken) {
      this.#broken = false;
      throw new Error('a job without a customer');
    }
    this.jobs++;
    await appendFile(this.#journal, `job ${this.jobs}\n`);
    this.#lastJobAt = performance.now();
  }
}
