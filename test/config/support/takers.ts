import { Controller, Supervisor } from '../../../src/index.js';

/** What options are given to, and how it is named in a refusal. */
export interface Taker {
  readonly where: string | RegExp;
  give(options: object): unknown;
}

const run = () => true;
const register = (description: object) => new Controller().register('api', description);
const registerCheck = (check: object) => new Controller().registerCheck(check as never);

export const TAKERS = {
  controller: { where: 'new Controller()', give: (options) => new Controller(options) },
  service: { where: 'register("api")', give: register },
  restartPolicy: { where: 'register("api")', give: (restartPolicy) => register({ restartPolicy }) },
  stopOnGiveUp: { where: 'register("api")', give: (stopOnGiveUp) => register({ stopOnGiveUp }) },
  check: { where: 'check "db"', give: (options) => registerCheck({ name: 'db', check: run, ...options }) },
  polledCheck: {
    where: 'check "db"',
    give: (options) => registerCheck({ name: 'db', check: run, intervalMs: 1000, ...options }),
  },
  report: { where: 'status()', give: (options) => new Controller().status(options) },
  whenReady: {
    where: 'whenReady()',
    // Already aborted, so that nothing waits on.
    give: (options) => new Controller().whenReady({ signal: AbortSignal.abort(), ...options }),
  },
  supervisor: { where: 'new Supervisor()', give: (options) => new Supervisor(options) },
  child: {
    where: /attach\(\)|child "job"/,
    give: (options) => new Supervisor().attach({ name: 'job', start: () => {}, ...options } as never),
  },
} satisfies Record<string, Taker>;

export type TakerName = keyof typeof TAKERS;
