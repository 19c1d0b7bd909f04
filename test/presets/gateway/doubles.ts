import {
  Gateway,
  type GatewayOptions,
  type HealthFetch,
  type ListedProcess,
} from '../../../src/presets/gateway/index.js';
import { FakeClock } from '../../../src/testing/index.js';

export const RUNNING: ListedProcess = { id: 'proc_1', command: 'openclaw-gateway', status: 'running' };
export const STARTING: ListedProcess = { ...RUNNING, status: 'starting' };
export const SCRIPT: ListedProcess = { id: 'proc_2', command: '/usr/local/bin/start-openclaw.sh', status: 'running' };

/** How the health URL answers: a status and a body, an error, or not at all. */
export type Answer = { status: number; body?: string; type?: string } | Error | 'hangs';

export const OK: Answer = { status: 200, body: '{"ok":true,"status":"live"}' };
export const NOT_OK: Answer = { status: 200, body: '{"ok":false}' };
export const REFUSED: Answer = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:18789'), {
  code: 'ECONNREFUSED',
});

/** What is the case around a gateway under test; change it between snapshots. */
export interface World {
  answer: Answer;
  processes: readonly ListedProcess[] | Error | 'hangs';
  backup: { hadBackup: boolean; restored: boolean } | Error | 'hangs';
  /** What was called, in order: `list`, `ask`, `restore-status`. */
  readonly calls: string[];
}

export const never = (): Promise<never> => new Promise(() => {});

const play = async <Value>(value: Value | Error | 'hangs'): Promise<Value> => {
  if (value === 'hangs') return never();
  if (value instanceof Error) throw value;
  return value;
};

export const fetchOf =
  (world: World): HealthFetch =>
  async () => {
    world.calls.push('ask');
    const answer = await play(world.answer);
    return new Response(answer.body ?? '', {
      status: answer.status,
      headers: { 'content-type': answer.type ?? 'application/json' },
    });
  };

/** A gateway in a world of doubles, all well at first. */
export function makeGateway(options: GatewayOptions = {}, clock = new FakeClock()) {
  const world: World = { answer: OK, processes: [RUNNING], backup: { hadBackup: false, restored: false }, calls: [] };
  const gateway = new Gateway({
    clock,
    fetch: fetchOf(world),
    processes: () => {
      world.calls.push('list');
      return play(world.processes);
    },
    restoreStatus: () => {
      world.calls.push('restore-status');
      return play(world.backup);
    },
    ...options,
  });
  return { gateway, world, clock };
}

/** A promise that is settled from outside. */
export function deferred<Value = void>() {
  let resolve!: (value: Value) => void;
  let reject!: (error: unknown) => void;
  const promise = new Promise<Value>((res, rej) => {
    resolve = res;
    reject = rej;
  });
  return { promise, resolve, reject };
}

/** A health URL that answers, and well, only when it is told to. */
export function heldAnswers() {
  const waiting: (() => void)[] = [];
  return {
    waiting,
    fetch: async () => {
      await new Promise<void>((resolve) => waiting.push(resolve));
      return new Response('{"ok":true}');
    },
    answer: (requests = waiting.splice(0)) => {
      for (const answer of requests) answer();
    },
  };
}
