// What every server of the benchmark shares: a port of its own, and its CPU time on request.
import { once } from 'node:events';

export async function serve(server) {
  if (!server.listening) {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  }
  report(server.address().port);
}

export function report(port) {
  process.on('message', (message) => {
    if (message === 'cpu') {
      const { user, system } = process.cpuUsage();
      process.send({ cpuMicros: user + system, runs });
    } else if (message === 'hang') {
      hanging = true;
      process.send({});
    } else if (message === 'gc') {
      globalThis.gc?.();
      process.send({ heap: process.memoryUsage().heapUsed, runs });
    }
  });
  process.on('disconnect', () => process.exit(0));
  process.send({ port });
}

/** How often a check that takes time was begun. */
let runs = 0;
/** Checks that hang do so from when they are told to: some servers run theirs while they start. */
let hanging = false;

/** The work of every server: so many checks, trivial async functions or ones that take 5 ms. */
export function checksOf(count, workMs) {
  const work =
    workMs === 0
      ? async () => {}
      : () => {
          runs++;
          if (workMs === Number.POSITIVE_INFINITY) return hanging ? new Promise(() => {}) : Promise.resolve();
          return new Promise((resolve) => setTimeout(resolve, workMs));
        };
  return Array.from({ length: count }, (_, i) => ({ name: `check-${i}`, check: work }));
}

export const [count = 1, workMs = 0, mode = 'sync'] = process.argv
  .slice(2)
  .map((arg, i) => (i < 2 ? Number(arg) : arg));
