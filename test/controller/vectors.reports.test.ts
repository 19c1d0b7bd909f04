import { describe, expect, it } from 'vitest';
import type { CheckType, HealthReport, LifecycleState, ProbeFunction, ReportKind } from '../../src/index.js';
import { never } from './support/deferred.js';
import { Stage } from './support/stage.js';
import { acting, vectors } from './support/vectors.js';

interface Row {
  readonly name: string;
  readonly state: LifecycleState;
  readonly services: readonly { name: string; status?: string; liveness?: string; readiness?: string }[];
  readonly checks: readonly {
    name: string;
    type?: CheckType;
    critical?: boolean;
    sync?: boolean;
    intervalMs?: number;
    result?: string;
    ageMs?: number;
  }[];
  readonly expect: Readonly<Record<ReportKind, [boolean, [string, string, string?][]]>>;
}

const GATES: Readonly<Record<LifecycleState, string | undefined>> = {
  never_started: 'not_started',
  running: undefined,
  unable_to_start: 'unable_to_start',
  stopping: 'draining',
  stopped: 'stopped',
};
const KINDS: readonly ReportKind[] = ['status', 'liveness', 'readiness'];
const TIMEOUT_MS = 5000;

describe('vectors/reports.json', () => {
  it.each(vectors<{ cases: Row[] }>('reports').cases)('$name', async (row) => {
    const stage = new Stage({ drainDelayMs: row.state === 'stopping' ? 1000 : 0 });
    registerAll(stage, row);
    await lead(stage, row.state);
    await stage.clock.advance(Math.max(0, ...row.checks.map(({ ageMs }) => ageMs ?? 0)));

    // At the same time, since a report that awaits a timeout makes the cached results older.
    const exclude = ['broken'];
    const reports = KINDS.map((kind) => [kind, stage.watch(stage.controller[kind]({ exclude }))] as const);
    await stage.settle();
    if (reports.some(([, { settled }]) => !settled)) await stage.clock.advance(TIMEOUT_MS);

    for (const [kind, { value: report }] of reports) {
      if (report === undefined) throw new Error(`${kind}() is still pending`);
      expect({ kind, report: seen(report) }).toEqual({ kind, report: row.expect[kind] });
      expect(report.state).toBe(row.state);
      if (kind === 'readiness') expect(report.reason).toBe(GATES[row.state]);
    }
    await stage.close();
  });
});

function seen(report: HealthReport): Row['expect'][ReportKind] {
  return [
    report.overallHealthy,
    report.services.map(({ name, status, error }) => (error === undefined ? [name, status] : [name, status, error])),
  ];
}

function registerAll(stage: Stage, row: Row): void {
  for (const { name, status, liveness, readiness } of row.services) {
    stage.controller.register(name, {
      ...(status && { status: acting(status) }),
      ...(liveness && { liveness: acting(liveness) }),
      ...(readiness && { readiness: acting(readiness) }),
    });
  }
  for (const { sync, result, ageMs: _, ...check } of row.checks) {
    const run = result === undefined ? never : acting(result);
    stage.controller.registerCheck({ ...check, check: sync ? run : once(run) });
  }
}

/** Gives its result once and then hangs, so that the result grows old. */
function once(run: ProbeFunction): ProbeFunction {
  let runs = 0;
  return (context) => (++runs === 1 ? run(context) : never());
}

async function lead(stage: Stage, state: LifecycleState): Promise<void> {
  const { controller } = stage;
  if (state === 'never_started') return;
  if (state === 'unable_to_start') {
    controller.register('broken', {
      start: () => {
        throw new Error('no port');
      },
    });
  }
  controller.start();
  await stage.settle();
  if (state === 'stopping' || state === 'stopped') controller.stop();
  await stage.settle();
  expect(controller.state).toBe(state);
}
