import type { Server } from 'node:http';
import type { CheckHandle, HealthCheck } from '../../index.js';
import { callable, checkValue, Emitter, flag, oneOf, readOptions } from '../../kit.js';
import type { GatewaySnapshot, ProbeResult } from '../../wire/gateway.js';
import { attachGateway, type GatewayCheckOptions, type GatewayHost, gatewayChecks } from './checks.js';
import type { GatewayEventName, GatewayEvents } from './events.js';
import { type GatewayHandler, type GatewayHandlerOptions, gatewayHandler } from './handler.js';
import { Observer } from './observer.js';
import { type GatewayOptions, resolveGateway } from './options.js';
import { attachWebSocket, type GatewayWebSockets } from './web-socket.js';
import type { GatewayWebSocketOptions } from './web-socket-options.js';

/** How a snapshot is taken. */
export interface SnapshotOptions {
  /**
   * True: nothing is started and no backup made, and `passiveTimeoutMs` bounds it. False: a gateway that is not there is
   * started in the background, and one that runs is backed up now and then.
   * @defaultValue false
   */
  readonly passive?: boolean | undefined;
}

const SNAPSHOT = { passive: flag() };

/**
 * Watches an OpenClaw gateway, or anything that answers like one, by three probes in the manner of Kubernetes (seed
 * 000), and starts it again where it is gone. What is measured is a value: `liveness()`, `readiness()`, `startup()` and
 * `snapshot()` never reject. It has no timers of its own: something happens when somebody asks.
 *
 * @example
 * ```ts
 * const gateway = new Gateway({ ensureGateway: () => startGateway(), stopGateway: () => stopGateway() });
 * gateway.attach(controller, { intervalMs: 5000 });
 * const { phase, readiness } = await gateway.snapshot();
 * ```
 */
export class Gateway {
  readonly #events: Emitter<GatewayEvents>;
  readonly #observer: Observer;

  /** @throws HealthControllerError `invalid_option` */
  constructor(options: GatewayOptions = {}) {
    const settings = resolveGateway(options);
    this.#events = new Emitter(settings.logger);
    this.#observer = new Observer(settings, this.#events);
  }

  /**
   * The gateway's health now: one process listing and two health requests, at the same time, under one deadline. Callers
   * of one mode share one that is under way. Activating unless `passive`. Never rejects.
   * @throws HealthControllerError `invalid_option`
   */
  snapshot(options: SnapshotOptions = {}): Promise<GatewaySnapshot> {
    const { passive }: SnapshotOptions = readOptions('snapshot()', SNAPSHOT, options);
    return this.#observer.observe(passive === true ? 'passive' : 'active').then(({ snapshot }) => snapshot);
  }

  /** Is it alive: the health URL answers 200 with `ok: true`. Passive; never rejects. */
  liveness(): Promise<ProbeResult> {
    return this.#observer.liveness().then(({ result }) => result);
  }

  /** Can it serve: no start script in the list, a gateway that runs, 200 from the health URL. Passive; never rejects. */
  readiness(): Promise<ProbeResult> {
    return this.#observer.readiness().then(({ result }) => result);
  }

  /**
   * Has it completed its start: alive, ready, and its backup restored where there was one. A success is kept and served
   * with `latencyMs: 0` until readiness fails or `restart()` is called. Passive; never rejects.
   */
  startup(): Promise<ProbeResult> {
    return this.#observer.observe('passive').then(({ snapshot }) => snapshot.startup);
  }

  /**
   * Forgets the kept success and the backoff, then calls `stopGateway` and `ensureGateway`. Waits for a start in the
   * background that is under way, whose signal it aborts. Who calls while a restart is under way gets that one. Rejects
   * as its step rejected.
   */
  restart(): Promise<void> {
    return this.#observer.restart();
  }

  /**
   * The checks of a gateway, to be registered: `gateway-readiness`, and `gateway-liveness` on request. Passive.
   * `gateway-readiness` also fails, with the reason `restoring`, while a backup waits to be restored.
   * @throws HealthControllerError `invalid_option`
   */
  checks(options: GatewayCheckOptions = {}): readonly HealthCheck[] {
    return gatewayChecks(this.#observer, 'checks()', options);
  }

  /**
   * Registers the checks with a controller. From its shutdown on, nothing is started and no backup made any more.
   * @throws HealthControllerError `invalid_option`, `duplicate_name`, `stopping`
   */
  attach(controller: GatewayHost, options: GatewayCheckOptions = {}): readonly CheckHandle[] {
    return attachGateway(this.#observer, controller, options);
  }

  /**
   * HTTP endpoints for a gateway: `GET /api/health` and its aliases `/api/status` and
   * `/api/admin/gateway/status/polling`, activating unless `?passive=1` or HEAD; and, where `authorize` is given,
   * `POST /api/admin/gateway/restart`. It is a handler of node:http, and has members for Express, Fastify and fetch.
   * @throws HealthControllerError `invalid_option`
   */
  handler(options: GatewayHandlerOptions = {}): GatewayHandler {
    return gatewayHandler(this.#observer, options);
  }

  /**
   * Sends snapshots by WebSocket, at `/api/health/ws` and its alias `/api/admin/gateway/status/ws` of a server of Node,
   * Express (what `listen()` returns) or Fastify (its `server`): one at once and one every `pollIntervalMs`, activating
   * unless `?passive=1`. Snapshots are shared by all clients of a mode; without clients none is taken. Ends in the drain
   * of the controller that the gateway is attached to. A server that is closed waits for its WebSockets: without a
   * controller, call `close()` of the result first.
   *
   * Needs the package `ws`, which is loaded by this call: rejects with `invalid_option` where it is not installed.
   * @throws HealthControllerError `invalid_option`
   */
  attachWebSocket(server: Server, options: GatewayWebSocketOptions = {}): Promise<GatewayWebSockets> {
    return attachWebSocket(this.#observer, server, options);
  }

  /** Listens. A listener that throws, rejects or never settles harms nobody. The function returned ends it. */
  on<Name extends GatewayEventName>(name: Name, listener: (event: GatewayEvents[Name]) => unknown): () => void {
    checkListener(name, listener);
    return this.#events.on(name, listener);
  }

  /** Listens to the next event only. */
  once<Name extends GatewayEventName>(name: Name, listener: (event: GatewayEvents[Name]) => unknown): () => void {
    checkListener(name, listener);
    return this.#events.once(name, listener);
  }

  off<Name extends GatewayEventName>(name: Name, listener: (event: GatewayEvents[Name]) => unknown): void {
    checkListener(name, listener);
    this.#events.off(name, listener);
  }
}

function checkListener(name: unknown, listener: unknown): void {
  checkValue('on(): the event', oneOf('phase', 'activation', 'restart', 'backup'), name);
  checkValue(`on(): the listener of "${String(name)}"`, callable(), listener);
}
