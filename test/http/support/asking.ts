import { createResponder } from '../../../src/http/create-responder.js';
import type { HealthReporter } from '../../../src/http/index.js';
import type { HealthHandlerOptions } from '../../../src/http/options.js';
import type { HealthResponse } from '../../../src/http/response.js';
import type { Logger, ServiceStatus } from '../../../src/index.js';

export interface Asked {
  readonly method?: string;
  readonly accept?: string;
  /** What the policy gets. */
  readonly request?: unknown;
}

export type Ask = (target: string, asked?: Asked) => Promise<HealthResponse | undefined>;

/** Asks the one place that decides, without any adapter. */
export function asking(reporter: HealthReporter, options: HealthHandlerOptions<unknown> = {}): Ask {
  const responder = createResponder('test', reporter, options);
  return (target, { method = 'GET', accept, request } = {}) => {
    const found = responder.match(target);
    if (found === undefined) return Promise.resolve(undefined);
    return new Promise((resolve) => responder.answer(found, method, accept, request, resolve));
  };
}

/** A reporter that gives whatever it is told to, to every question. */
export function reporterOf(report: () => unknown): HealthReporter {
  return { status: report, liveness: report, readiness: report } as unknown as HealthReporter;
}

/** A report that nobody froze. */
export function reportOf(...services: Partial<ServiceStatus>[]): Record<string, unknown> {
  const entries = services.map((service, i) => ({ name: `n${i}`, kind: 'check', status: 'OK', ...service }));
  return { overallHealthy: entries.every(({ status }) => status !== 'ERROR'), state: 'running', services: entries };
}

/** A logger that remembers. */
export function remembering(): Logger & { readonly lines: string[] } {
  const lines: string[] = [];
  const write = (level: string) => (message: string) => lines.push(`${level} ${message}`);
  return { lines, debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') };
}
