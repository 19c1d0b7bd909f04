import type { DrainSource } from '../../http/http-service.js';
import { type Emitter, isoStamp, SingleFlight } from '../../kit.js';
import type { GatewayPhase, GatewaySnapshot, RestoreStatus } from '../../wire/gateway.js';
import { Activation } from './activation.js';
import { Backups } from './backups.js';
import { Deadline, type Measured } from './deadline.js';
import type { GatewayEvents } from './events.js';
import type { Judged } from './fault.js';
import { askHealth, type HealthAnswer, healthTarget } from './health-answer.js';
import { makeSnapshot } from './make-snapshot.js';
import { type Memory, NO_MEMORY, type Probed, type Remembered, remember, restarted, unlatched } from './memory.js';
import { Observation } from './observation.js';
import type { GatewaySettings } from './options.js';
import { PatientCall } from './patient-call.js';
import { judgeLiveness, judgeReadiness, judgeStartup, NO_BACKUP, viewRestore } from './probes.js';
import { type ProcessView, viewProcesses } from './process-view.js';

/** Whether a snapshot may start the gateway and have backups made, and how long it may take. */
export type Mode = 'active' | 'passive';

/** Observes a gateway, remembers what must be remembered, and sees to what follows from it. */
export class Observer {
  readonly settings: GatewaySettings;
  readonly #events: Emitter<GatewayEvents>;
  readonly #activation: Activation;
  readonly #backups: Backups;
  readonly #listing: PatientCall<unknown>;
  readonly #alive: PatientCall<HealthAnswer>;
  readonly #reachable: PatientCall<HealthAnswer>;
  readonly #restore: PatientCall<unknown> | undefined;
  #flights = newFlights();
  #memory: Memory = NO_MEMORY;
  #restoreStatus: RestoreStatus = NO_BACKUP;
  /** The phase that was told last. */
  #phase: GatewayPhase | undefined;
  /** Observations are numbered as they begin: an older one that ends later changes nothing. */
  #begun = 0;
  #remembered = 0;
  readonly #draining = new AbortController();
  readonly #stopped = new AbortController();

  constructor(settings: GatewaySettings, events: Emitter<GatewayEvents>) {
    const { processes, restoreStatus, fetch, healthUrl } = settings;
    const target = healthTarget(healthUrl);
    this.settings = settings;
    this.#events = events;
    this.#activation = new Activation(settings, events);
    this.#backups = new Backups(settings, events);
    this.#listing = new PatientCall((signal) => processes({ signal }));
    this.#alive = new PatientCall((signal) => askHealth(fetch, target, true, signal));
    this.#reachable = new PatientCall((signal) => askHealth(fetch, target, false, signal));
    this.#restore = restoreStatus && new PatientCall((signal) => restoreStatus({ signal }));
  }

  /** One process listing and two health requests, at the same time. Callers of one mode share one. Never rejects. */
  observe(mode: Mode): Promise<Observation> {
    return this.#flights[mode].run(() => this.#observe(mode));
  }

  /** One health request. Never rejects. */
  liveness(): Promise<Judged> {
    return this.#flights.liveness.run(() =>
      this.#within('passive', async (deadline) => judgeLiveness(await this.#alive.ask(deadline))),
    );
  }

  /** One process listing and one health request. Never rejects. */
  readiness(): Promise<Judged> {
    return this.#flights.readiness.run(() =>
      this.#within('passive', async (deadline) => {
        const number = ++this.#begun;
        const [listing, asked] = await Promise.all([this.#listing.ask(deadline), this.#reachable.ask(deadline)]);
        const { readiness } = this.#judgeReadiness(listing, asked);
        if (!readiness.result.ok && this.#isNewest(number)) this.#memory = unlatched(this.#memory);
        return readiness;
      }),
    );
  }

  restart(): Promise<void> {
    this.#forget();
    const restart = this.#activation.restart();
    // Again at the end: what was seen meanwhile was the old gateway, perhaps.
    const forget = (): void => this.#forget();
    restart.then(forget, forget);
    return restart;
  }

  /** From the shutdown of this controller on, nothing is started and no backup made; streams end. */
  follow(controller: DrainSource): void {
    controller.on('state', ({ to }) => {
      if (to !== 'stopping' && to !== 'stopped') return;
      this.#activation.cancel();
      this.#draining.abort();
      if (to === 'stopped') this.#stopped.abort();
    });
  }

  get draining(): AbortSignal {
    return this.#draining.signal;
  }

  get stopped(): AbortSignal {
    return this.#stopped.signal;
  }

  #forget(): void {
    this.#memory = restarted(this.#memory);
    // What is under way was begun in the life before: nobody joins it any more, and it is not remembered.
    this.#flights = newFlights();
    this.#remembered = this.#begun;
  }

  async #within<Value>(mode: Mode, run: (deadline: Deadline) => Promise<Value>): Promise<Value> {
    const { clock, activeTimeoutMs, passiveTimeoutMs } = this.settings;
    const deadline = new Deadline(clock, mode === 'active' ? activeTimeoutMs : passiveTimeoutMs);
    try {
      return await run(deadline);
    } finally {
      deadline.end();
    }
  }

  #observe(mode: Mode): Promise<Observation> {
    return this.#within(mode, async (deadline) => {
      const number = ++this.#begun;
      const epoch = this.#activation.epoch;
      const [listing, alive, reachable, restored] = await Promise.all([
        this.#listing.ask(deadline),
        this.#alive.ask(deadline),
        this.#reachable.ask(deadline),
        this.#restore?.ask(deadline),
      ]);
      const { view, readiness } = this.#judgeReadiness(listing, reachable);
      const liveness = judgeLiveness(alive);
      const restore = viewRestore(restored, this.#restoreStatus);
      const startup = judgeStartup(liveness, readiness, restore.fault, deadline.elapsedMs());
      const news = this.#isNewest(number);
      if (news) this.#restoreStatus = restore.status;
      const seen = this.#remember({ liveness, readiness, startup }, news);
      const probed = { liveness, readiness, startup: seen.startup };
      const ts = isoStamp(this.settings.clock.wall());
      const make = (what: 'result' | 'published') => makeSnapshot(ts, probed, view, restore.status, seen.phase, what);
      const snapshot = make('result');
      if (news) this.#tell(snapshot);
      if (news && mode === 'active' && epoch === this.#activation.epoch) this.#act(view, liveness);
      const open = readiness.result.ok && !seen.startup.result.ok ? restore.fault : undefined;
      return new Observation(snapshot, make('published'), readiness, open && { fault: open, forMs: seen.heldForMs });
    });
  }

  #judgeReadiness(listing: Measured<unknown>, asked: Measured<HealthAnswer>): { view: ProcessView; readiness: Judged } {
    const view = viewProcesses(listing, this.settings.classifyProcess);
    const latencyMs = Math.max(listing.latencyMs, asked.latencyMs);
    return { view, readiness: judgeReadiness(view, asked, latencyMs, this.#activation.lastFault) };
  }

  /** Whether nothing that began later, and no restart, has been remembered yet. */
  #isNewest(number: number): boolean {
    if (number <= this.#remembered) return false;
    this.#remembered = number;
    return true;
  }

  #remember(probed: Probed, news: boolean): Remembered {
    const { clock, stuckAfterMs } = this.settings;
    const seen = remember(this.#memory, probed, clock.now(), stuckAfterMs);
    const wasReady = seen.memory.wasReady;
    this.#memory = news ? seen.memory : { ...this.#memory, wasReady };
    if (news && probed.readiness.result.ok) this.#activation.recovered();
    return seen;
  }

  #tell(snapshot: GatewaySnapshot): void {
    const from = this.#phase;
    const to = snapshot.phase;
    if (from === to) return;
    this.#phase = to;
    this.settings.logger.info(`gateway: ${from ?? 'not seen yet'} -> ${to}`, { from, to });
    this.#events.emit('phase', { ...(from === undefined ? undefined : { from }), to, snapshot });
  }

  /** Starts what is not there, and has what runs backed up. On an answer that could not be read nothing is started. */
  #act(view: ProcessView, liveness: Judged): void {
    if (this.draining.aborted || view.kind === 'unknown') return;
    const { gateway, script } = view;
    if (gateway?.status === 'running') this.#backups.consider();
    if (gateway === undefined && script === undefined && liveness.result.status !== 'unknown') this.#activation.start();
  }
}

function newFlights() {
  return {
    active: new SingleFlight<Observation>(),
    passive: new SingleFlight<Observation>(),
    liveness: new SingleFlight<Judged>(),
    readiness: new SingleFlight<Judged>(),
  };
}
