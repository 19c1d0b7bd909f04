import type { CheckHandle, HealthCheck } from '../../../src/index.js';
import type { Bench } from './bench.js';

export { never } from '../../controller/support/deferred.js';

/** A check, polled or not, that notes when its runs begin, and takes `tookMs` for each. */
export function polled(
  at: Bench,
  options: Partial<HealthCheck>,
  tookMs = 0,
): { starts: number[]; handle: CheckHandle } {
  const starts: number[] = [];
  const handle = at.check({
    ...options,
    check: () => {
      starts.push(at.clock.now());
      if (tookMs === 0) return undefined;
      return new Promise((resolve) => {
        at.clock.setTimeout(() => resolve(undefined), tookMs, { keepAlive: false });
      });
    },
  });
  return { starts, handle };
}

/** Moments on a grid. */
export const grid = (from: number, step: number, count: number): number[] =>
  Array.from({ length: count }, (_, tick) => from + tick * step);
