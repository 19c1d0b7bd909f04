import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

// A guard against the hot path growing: bytes allocated per report, in a young generation so large that nothing is
// collected meanwhile. The least of several rounds, since code that the compiler has not reached yet allocates more, and
// on a busy machine it comes late: so it is repeatable to a few per cent, whatever else the machine does.

const root = fileURLToPath(new URL('../../', import.meta.url));

const program = `
import { Controller } from 'health-controller';
const [checks, intervalMs] = [Number(process.env.CHECKS), Number(process.env.INTERVAL)];
const controller = new Controller();
for (let i = 0; i < checks; i++) controller.registerCheck({ name: 'check-' + i, check: async () => {}, intervalMs });
controller.start();
for (let i = 0; i < 2000; i++) await controller.readiness();
let least = Infinity;
for (let round = 0; round < 10; round++) {
  globalThis.gc();
  const before = process.memoryUsage().heapUsed;
  for (let i = 0; i < 500; i++) await controller.readiness();
  least = Math.min(least, (process.memoryUsage().heapUsed - before) / 500);
}
console.log(least);
await controller.stop();
`;

function bytesPerReport(checks: number, intervalMs: number): number {
  const flags = [
    '--expose-gc',
    '--max-semi-space-size=256',
    '--min-semi-space-size=256',
    '--input-type=module',
    '-e',
    program,
  ];
  const env = { ...process.env, CHECKS: String(checks), INTERVAL: String(intervalMs) };
  return Number(execFileSync(process.execPath, flags, { cwd: root, env, encoding: 'utf8' }));
}

describe('bytes allocated per report', () => {
  it('over 100 sync checks: at most 550 for each, the promises of the checks themselves among them', () => {
    expect(bytesPerReport(100, 0) / 100).toBeLessThan(550);
  });

  it('over cached checks: as many for 1000 as for 10', () => {
    expect(bytesPerReport(10, 60_000)).toBeLessThan(700);
    expect(bytesPerReport(1000, 60_000)).toBeLessThan(700);
  });
});
