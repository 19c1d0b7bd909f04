// Measurements inside one process, each run in a process of its own: `node alone.mjs NAME [figure]` prints JSON.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Controller } from 'health-controller';

const trivial = async () => {};
const [, , name, figure] = process.argv;
const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

function controllerWith(count, options) {
  const controller = new Controller();
  for (let i = 0; i < count; i++) controller.registerCheck({ name: `check-${i}`, check: trivial, ...options });
  controller.start();
  return controller;
}

function cpuMs() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** CPU microseconds of one of so many. */
async function costOf(work, times) {
  for (let i = 0; i < times / 4; i++) await work();
  const before = process.cpuUsage();
  for (let i = 0; i < times; i++) await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / times;
}

const programs = {
  /** A report of unchanged cached entries, and one made afresh of the same stored results. */
  async cachedReport() {
    const controller = controllerWith(100, { intervalMs: 60_000 });
    await wait(50);
    const kept = await costOf(() => controller.readiness(), 20_000);
    let on = false;
    const fresh = await costOf(() => {
      on = !on;
      controller.setMaintenance(on);
      return controller.readiness();
    }, 5000);
    await controller.stop();
    return { kept, fresh, ratio: fresh / kept };
  },
  /** Reports over 100 sync checks, and a plain Promise.all that builds the same entries. */
  async syncReport() {
    const controller = controllerWith(100, {});
    const checks = Array.from({ length: 100 }, (_, i) => ({ name: `check-${i}`, check: trivial }));
    const plain = () =>
      Promise.all(
        checks.map(async ({ name: entry, check }) => {
          const from = performance.now();
          try {
            await check();
            const durationMs = performance.now() - from;
            return { name: entry, kind: 'check', status: 'OK', durationMs, checkedAt: new Date().toISOString() };
          } catch (error) {
            return { name: entry, kind: 'check', status: 'ERROR', error: error.message };
          }
        }),
      );
    const ours = await costOf(() => controller.readiness(), 3000);
    const byHand = await costOf(plain, 3000);
    await controller.stop();
    return { ours, byHand, ratio: byHand / ours };
  },
  /** Polling so many checks for a while: share of a CPU, bytes each, delay of the loop. 0: an idle process. */
  async polling() {
    const count = Number(figure);
    globalThis.gc?.();
    const checks = Array.from({ length: count }, (_, i) => ({
      name: `check-${i}`,
      check: trivial,
      intervalMs: 5000,
      timeoutMs: 1000,
      jitter: 1,
    }));
    globalThis.gc?.();
    const heapBefore = process.memoryUsage().heapUsed;
    const controller = new Controller();
    for (const check of checks) controller.registerCheck(check);
    controller.start();
    await wait(6000);
    globalThis.gc?.();
    const bytesEach = count === 0 ? 0 : (process.memoryUsage().heapUsed - heapBefore) / count;
    const delay = monitorEventLoopDelay({ resolution: 10 });
    delay.enable();
    const before = process.cpuUsage();
    await wait(10_000);
    const { user, system } = process.cpuUsage(before);
    delay.disable();
    await controller.stop();
    return { count, cpuPercent: (user + system) / 100_000, bytesEach, delayP99Ms: delay.percentile(99) / 1e6 };
  },
  /** The cost of a report and of a poll against the number of checks. */
  async growth() {
    const count = Number(figure);
    const reports = controllerWith(count, {});
    const times = Math.max(5, Math.ceil(100_000 / count));
    const report = await costOf(() => reports.readiness(), times);
    await reports.stop();
    const polls = controllerWith(count, { intervalMs: 100, timeoutMs: 100 });
    await wait(300);
    const before = process.cpuUsage();
    await wait(2000);
    const { user, system } = process.cpuUsage(before);
    await polls.stop();
    return { count, reportMicros: report, pollMicros: (user + system) / (count * 20) };
  },
  /** A hung check under 10,000 probes. */
  async hung() {
    let runs = 0;
    const controller = new Controller();
    const hang = () => {
      runs++;
      return new Promise(() => {});
    };
    controller.registerCheck({ name: 'hung', check: hang, timeoutMs: 20 });
    controller.start();
    await controller.readiness();
    await controller.readiness();
    globalThis.gc?.();
    const before = process.memoryUsage().heapUsed;
    for (let i = 0; i < 10_000; i++) await controller.readiness();
    globalThis.gc?.();
    const growthBytes = process.memoryUsage().heapUsed - before;
    const { abandoned } = controller.checkResult('hung');
    await controller.stop();
    return { probes: 10_000, growthBytes, runs, abandoned };
  },
  /** 1,000 services with trivial stops, a plain loop over them, and one that gives each a signal and a deadline. */
  async shutdown() {
    const rounds = [];
    for (let round = 0; round < 41; round++) {
      const stops = Array.from({ length: 1000 }, () => async () => {});
      const controller = new Controller();
      for (const [i, stop] of stops.entries()) controller.register(`service-${i}`, { stop });
      controller.start();
      // They are up: what is stopped in the middle of its start is another thing.
      await wait(1);
      const from = cpuMs();
      await controller.stop();
      const ours = cpuMs() - from;
      const loopFrom = cpuMs();
      for (const stop of stops) await stop();
      const loop = cpuMs() - loopFrom;
      const equalFrom = cpuMs();
      for (const stop of stops) await stop({ signal: new AbortController().signal, deadlineMs: 5000 });
      rounds.push({ ours, loop, equal: cpuMs() - equalFrom });
    }
    const middle = (of) => rounds.map(of).toSorted((a, b) => a - b)[rounds.length >> 1];
    return {
      firstMs: rounds[0].ours,
      oursMs: middle(({ ours }) => ours),
      loopMs: middle(({ loop }) => loop),
      equalMs: middle(({ equal }) => equal),
      ratio: middle(({ ours, loop }) => ours / loop),
      ratioToEqual: middle(({ ours, equal }) => ours / equal),
    };
  },
};

console.log(JSON.stringify(await programs[name]()));
process.exit(0);
