import type { ChildProcess } from 'node:child_process';
import { request } from 'node:http';

/** A probe as a pod declares it, with times in milliseconds. */
export interface Probe {
  readonly path: string;
  readonly periodMs: number;
  readonly timeoutMs: number;
  readonly failureThreshold: number;
  readonly successThreshold?: number;
}

export interface Probes {
  readonly startup?: Probe;
  readonly liveness: Probe;
  readonly readiness: Probe;
}

interface Outcome {
  readonly success: boolean;
  readonly redirects: number;
}

const MOST_REDIRECTS = 10;

/**
 * What a kubelet does with one container, by the published semantics ("Configure Liveness, Readiness and Startup Probes"
 * and "Pod Lifecycle" in the Kubernetes documentation): an HTTP probe is a GET on a connection of its own, with
 * `User-Agent: kube-probe`, `Accept: *∕*` and `Connection: close`; a status from 200 to 399 succeeds, after redirects
 * within the same host; thresholds count in a row; the startup probe holds the others back until it has succeeded once;
 * a failed liveness restarts the container; a pod that is being terminated is not probed for liveness any more, is no
 * endpoint, gets SIGTERM, and SIGKILL after its grace period.
 */
export class Kubelet {
  /** What happened, in order: `started`, `ready`, `unready`, `restarted`, `killed`. */
  readonly events: string[] = [];
  /** How many probes of each kind failed. */
  readonly failures = { startup: 0, liveness: 0, readiness: 0 };
  redirects = 0;
  readonly #port: number;
  readonly #probes: Probes;
  readonly #container: ChildProcess;
  readonly #timers = new Set<ReturnType<typeof setTimeout>>();
  #terminating = false;

  constructor(port: number, container: ChildProcess, probes: Probes) {
    this.#port = port;
    this.#container = container;
    this.#probes = probes;
    if (probes.startup === undefined) this.#begin();
    else
      this.#watch(
        'startup',
        probes.startup,
        () => this.#begin(),
        () => this.#restart(),
      );
  }

  /** Deletes the pod. Resolves with the exit code, or with the signal that was needed. */
  async terminate(gracePeriodMs: number): Promise<number | string> {
    this.#terminating = true;
    const ended = new Promise<number | string>((resolve) => {
      this.#container.once('exit', (code, signal) => resolve(code ?? signal ?? 'nothing'));
    });
    this.#container.kill('SIGTERM');
    const kill = setTimeout(() => {
      this.events.push('killed');
      this.#container.kill('SIGKILL');
    }, gracePeriodMs);
    const end = await ended;
    clearTimeout(kill);
    this.stop();
    return end;
  }

  stop(): void {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
  }

  #begin(): void {
    this.events.push('started');
    const { liveness, readiness } = this.#probes;
    this.#watch(
      'liveness',
      liveness,
      () => {},
      () => this.#restart(),
    );
    this.#watch(
      'readiness',
      readiness,
      () => this.events.push('ready'),
      () => this.events.push('unready'),
    );
  }

  #restart(): void {
    this.events.push('restarted');
    this.stop();
  }

  /** Calls back when the state changes, which is at first neither. */
  #watch(kind: keyof Probes, probe: Probe, healthy: () => void, unhealthy: () => void): void {
    let state: boolean | undefined;
    let last: boolean | undefined;
    let inARow = 0;
    const look = async () => {
      this.#timers.delete(timer);
      if (this.#terminating && kind !== 'readiness') return;
      const { success, redirects } = await this.#ask(probe);
      if (this.#container.exitCode !== null || (this.#terminating && kind !== 'readiness')) return;
      this.redirects += redirects;
      if (!success) this.failures[kind]++;
      inARow = success === last ? inARow + 1 : 1;
      last = success;
      const enough = inARow >= (success ? (probe.successThreshold ?? 1) : probe.failureThreshold);
      if (enough && state !== success) {
        state = success;
        if (success) healthy();
        else unhealthy();
      }
      if (kind === 'startup' && success) return;
      again(probe.periodMs);
    };
    let timer: ReturnType<typeof setTimeout>;
    const again = (delayMs: number) => {
      timer = setTimeout(look, delayMs);
      this.#timers.add(timer);
    };
    again(0);
  }

  async #ask(probe: Probe): Promise<Outcome> {
    let path = probe.path;
    for (let redirects = 0; ; redirects++) {
      const answer = await this.#get(path, probe.timeoutMs);
      if (answer === undefined) return { success: false, redirects };
      const { status, location } = answer;
      if (status < 300 || location === undefined) return { success: status >= 200 && status < 400, redirects };
      const to = new URL(location, `http://127.0.0.1:${this.#port}${path}`);
      // To another host it is not followed, and counts as success, with a warning.
      if (to.port !== String(this.#port)) return { success: true, redirects: redirects + 1 };
      if (redirects >= MOST_REDIRECTS) return { success: false, redirects };
      path = to.pathname + to.search;
    }
  }

  #get(path: string, timeoutMs: number): Promise<{ status: number; location: string | undefined } | undefined> {
    return new Promise((resolve) => {
      const headers = { 'User-Agent': 'kube-probe/1.31', Accept: '*/*', Connection: 'close' };
      const sent = request({ host: '127.0.0.1', port: this.#port, path, headers, agent: false }, (response) => {
        response.resume();
        response.once('end', () => done({ status: response.statusCode ?? 0, location: response.headers.location }));
      });
      const timer = setTimeout(() => sent.destroy(new Error('timeout')), timeoutMs);
      const done = (answer?: { status: number; location: string | undefined }) => {
        clearTimeout(timer);
        resolve(answer);
      };
      sent.once('error', () => done());
      sent.end();
    });
  }
}
