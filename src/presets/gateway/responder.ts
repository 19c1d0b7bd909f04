import type { Answering } from '../../http/answering.js';
import { DetailsGate } from '../../http/details.js';
import type { DetailsPolicy } from '../../http/options.js';
import type { PolicyRequest } from '../../http/policies.js';
import type { Deliver } from '../../http/respond.js';
import { type HealthResponse, makeResponse, NOT_ALLOWED } from '../../http/response.js';
import { withDeadline } from '../../kit.js';
import { thrownText } from './fault.js';
import type { Observer } from './observer.js';
import { type AuthorizeRestart, headerOf, RestartGuard } from './restart-guard.js';
import { type Route, Routes } from './routes.js';

/** A handler's options with every one decided. */
export interface ResponderSettings {
  readonly basePath: string;
  readonly authorize: AuthorizeRestart | undefined;
  readonly statusCode: 200 | 'reflect';
  readonly details: 'never' | 'always' | DetailsPolicy<PolicyRequest>;
}

const JSON_TYPE = 'application/json; charset=utf-8';
const json = (status: number, value: unknown, more?: Readonly<Record<string, string>>): HealthResponse =>
  makeResponse(status, JSON_TYPE, JSON.stringify(value), more);

const ONLY_POST = makeResponse(405, 'text/plain; charset=utf-8', 'method not allowed\n', { Allow: 'POST' });
const UNAUTHORIZED = json(401, { restart: 'refused' }, { 'WWW-Authenticate': 'Bearer' });
const FORBIDDEN = json(403, { restart: 'refused' });
const RESTARTED = json(200, { restart: 'done' });
const RESTARTING = json(202, { restart: 'under way' });
const NOT_RESTARTED = json(500, { restart: 'failed' });

/** The one place that decides status, headers and body; every adapter is a shell around it. */
export class GatewayResponder implements Answering<PolicyRequest, Route> {
  readonly #observer: Observer;
  readonly #statusCode: 200 | 'reflect';
  readonly #details: DetailsGate<PolicyRequest>;
  readonly #guard: RestartGuard | undefined;
  readonly #routes: Routes;

  constructor(observer: Observer, { basePath, authorize, statusCode, details }: ResponderSettings) {
    const { clock, logger } = observer.settings;
    this.#observer = observer;
    this.#statusCode = statusCode;
    this.#details = new DetailsGate(details, clock, logger);
    this.#guard = authorize && new RestartGuard(authorize, clock, logger);
    this.#routes = new Routes(basePath);
  }

  /** What a request target asks for; undefined where it is not ours. Without `authorize` there is no way to restart. */
  match(target: string): Route | undefined {
    const route = this.#routes.match(target);
    return route?.to === 'stream' || (route?.to === 'restart' && this.#guard === undefined) ? undefined : route;
  }

  /** Answers, later. Never throws, and nothing is left to reject. There is one format, whatever `accept` says. */
  answer(
    route: Route,
    method: string | undefined,
    _accept: string | undefined,
    request: PolicyRequest,
    deliver: Deliver,
  ): void {
    const answer = route.to === 'restart' ? this.#restart(method, request) : this.#snapshot(route, method, request);
    void answer.then(deliver);
  }

  async #snapshot({ passive }: Route, method: string | undefined, request: PolicyRequest): Promise<HealthResponse> {
    if (method !== 'GET' && method !== 'HEAD') return NOT_ALLOWED;
    // Asked before the gateway is looked at: the answer is as young as can be.
    const details = await this.#details.allows(request);
    const seen = await this.#observer.observe(passive || method === 'HEAD' ? 'passive' : 'active');
    const ready = this.#statusCode === 200 || seen.snapshot.readiness.ok;
    return makeResponse(ready ? 200 : 503, JSON_TYPE, seen.text(details));
  }

  async #restart(method: string | undefined, request: PolicyRequest): Promise<HealthResponse> {
    if (method !== 'POST') return ONLY_POST;
    if (!(await this.#guard?.allows(request))) {
      return headerOf(request, 'authorization') === undefined ? UNAUTHORIZED : FORBIDDEN;
    }
    const { activeTimeoutMs, clock, logger } = this.#observer.settings;
    try {
      const { settled } = await withDeadline(this.#observer.restart(), activeTimeoutMs, clock);
      return settled ? RESTARTED : RESTARTING;
    } catch (error) {
      // To the log only: what a step says may hold anything.
      logger.error(`gateway: a restart that was asked for by HTTP failed: ${thrownText(error)}`, { error });
      return NOT_RESTARTED;
    }
  }
}
