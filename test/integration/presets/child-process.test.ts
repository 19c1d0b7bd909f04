import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import type { ControllerOptions, ServiceDescription } from '../../../src/index.js';
import type { ChildProcessError, ChildProcessOptions } from '../../../src/presets/index.js';
import { freePort } from '../gateway/support/worker.js';
import { eventually } from '../instance/support/eventually.js';
import { node, stateOf, Worker } from './support/worker.js';

const workers: Worker[] = [];

function run(options: ChildProcessOptions, more?: ServiceDescription, controllerOptions?: ControllerOptions): Worker {
  const worker = new Worker(options, more, controllerOptions);
  workers.push(worker);
  return worker;
}

afterEach(async () => {
  await Promise.all(workers.splice(0).map(({ controller }) => controller.stop()));
});

const STAY = "console.log('pid', process.pid); setInterval(() => {}, 1000);";
/** Answers SIGTERM with a word only. */
const STUBBORN = `process.on('SIGTERM', () => console.log('asked')); ${STAY}`;
const NO_WAIT = { initialBackoffMs: 1 };

describe('childProcess', () => {
  it('runs in the foreground until it is told to stop, with its group gone and no failure told', async () => {
    const worker = run({ ...node(STAY), readyWhen: 'spawned' });
    const pid = await worker.pid();
    expect(worker.info.up).toBe(true);
    const outcome = await worker.controller.stop();
    expect(outcome).toMatchObject({ unfinished: [], stopErrors: [], exitCode: 0 });
    expect(stateOf(pid)).toBe('gone');
    expect(worker.events).toEqual(['started', 'ended']);
  });

  it('whose process exits by itself fails with its code, and with its last complaints', async () => {
    const worker = run(node("for (let i = 1; i < 15; i++) console.error('line ' + i); process.exitCode = 3"));
    await worker.told('unable_to_start');
    const error = worker.info.error as ChildProcessError;
    expect(error).toMatchObject({
      name: 'ChildProcessError',
      command: process.execPath,
      exitCode: 3,
      signal: null,
      message: `process ${JSON.stringify(process.execPath)} exited with code 3`,
    });
    expect(error.lastLines).toEqual(Array.from({ length: 10 }, (_, index) => `line ${index + 5}`));
  });

  it('whose process exits with 0 unasked has failed too', async () => {
    const worker = run(node(''));
    await worker.told('unable_to_start');
    expect(worker.info.error).toMatchObject({ exitCode: 0, signal: null });
  });

  it('whose process is killed fails with the signal, and is restarted', async () => {
    const worker = run({ ...node(STAY), readyWhen: 'spawned' }, { restartPolicy: NO_WAIT });
    const pid = await worker.pid();
    process.kill(pid, 'SIGKILL');
    const second = await worker.pid('pid', 2);
    expect(second).not.toBe(pid);
    expect(worker.info.error).toMatchObject({
      exitCode: null,
      signal: 'SIGKILL',
      message: expect.stringContaining('was ended by SIGKILL'),
    });
    expect(stateOf(pid)).toBe('gone');
    expect(worker.events.slice(0, 2)).toEqual(['started', 'retrying']);
    await worker.controller.stop();
    expect(stateOf(second)).toBe('gone');
  });

  it('that cannot be run fails with the reason, and is tried again as its policy says', async () => {
    const missing = run({ command: '/no/such/program' }, { restartPolicy: { ...NO_WAIT, maxRestarts: 1 } });
    const noFolder = run({ ...node(''), cwd: '/no/such/folder' });
    const noRight = run({ command: '/dev/null' });
    for (const worker of [missing, noFolder, noRight]) await worker.told('unable_to_start');
    expect(missing.events).toEqual(['retrying', 'unable_to_start']);
    expect(missing.info.error).toMatchObject({
      exitCode: null,
      signal: null,
      cause: { code: 'ENOENT' },
      message: expect.stringContaining('"/no/such/program" could not be run'),
    });
    expect(noFolder.info.error).toMatchObject({ cause: { code: 'ENOENT' } });
    expect(noRight.info.error).toMatchObject({ cause: { code: 'EACCES' } });
    const outcome = await missing.controller.stop();
    expect(outcome).toMatchObject({ unfinished: [], stopErrors: [] });
  });
});

describe('the options of childProcess', () => {
  it('args, cwd and env say what runs, where, and with which environment alone', async () => {
    const cwd = await realpath(await mkdtemp(join(tmpdir(), 'health-controller-')));
    const code = 'console.log(JSON.stringify([process.argv.slice(1), process.cwd(), process.env]))';
    const worker = run({
      command: process.execPath,
      args: ['-e', code, '--', 'a b', '$HOME', ''],
      cwd,
      env: { COLOUR: 'blue', ABSENT: undefined },
      runToCompletion: true,
    });
    await worker.told('completed');
    const [args, folder, env] = JSON.parse(await worker.said(/^\[/)) as [string[], string, Record<string, string>];
    expect(args).toEqual(['a b', '$HOME', '']);
    expect(folder).toBe(cwd);
    expect(env).toEqual({ COLOUR: 'blue' });
    await rm(cwd, { recursive: true });
  });

  it('without cwd and env it has those of this process', async () => {
    const worker = run({ ...node('console.log(process.cwd() + "|" + process.env.PATH)'), runToCompletion: true });
    expect(await worker.said(/\|/)).toBe(`${process.cwd()}|${process.env.PATH}`);
  });

  it('stopSignal is what asks it to stop', async () => {
    const code = (signal: string) =>
      `process.on('${signal}', () => { console.log('got ${signal}'); process.exit() }); ${STAY}`;
    const byDefault = run(node(code('SIGTERM')));
    const chosen = run({ ...node(code('SIGQUIT')), stopSignal: 'SIGQUIT' });
    for (const worker of [byDefault, chosen]) await worker.pid();
    for (const worker of [byDefault, chosen]) expect(await worker.controller.stop()).toMatchObject({ unfinished: [] });
    expect([byDefault.lines.at(-1), chosen.lines.at(-1)]).toEqual(['got SIGTERM', 'got SIGQUIT']);
  });

  it('killAfterMs is how long its group has before it is killed; 0 kills at once', async () => {
    const patient = run({ ...node(STUBBORN), killAfterMs: 2000 });
    const atOnce = run({ ...node(STUBBORN), killAfterMs: 0 });
    const pids = [await patient.pid(), await atOnce.pid()];
    const [slow, quick] = await Promise.all([patient.controller.stop(), atOnce.controller.stop()]);
    expect(slow.durationMs).toBeGreaterThanOrEqual(1999);
    expect(quick.durationMs).toBeLessThan(slow.durationMs);
    expect([patient.lines.includes('asked'), atOnce.lines.includes('asked')]).toEqual([true, false]);
    expect([slow.unfinished, quick.unfinished, ...pids.map(stateOf)]).toEqual([[], [], 'gone', 'gone']);
  });

  it('the time that the stop has bounds killAfterMs, so that nothing is unfinished', async () => {
    const worker = run(node(STUBBORN), {}, { shutdownTimeoutMs: 2000 });
    const pid = await worker.pid();
    const outcome = await worker.controller.stop();
    expect(outcome).toMatchObject({ unfinished: [], exitCode: 0 });
    expect(outcome.durationMs).toBeLessThan(2000);
    expect(stateOf(pid)).toBe('gone');
  });

  it('noRestartExitCodes are those after which it gives up at once', async () => {
    const policy = { restartPolicy: { ...NO_WAIT, maxRestarts: 2 } };
    const listed = run({ ...node('process.exit(78)'), noRestartExitCodes: [2, 78] }, policy);
    const other = run({ ...node('process.exit(1)'), noRestartExitCodes: [2, 78] }, policy);
    const killed = run({ ...node('process.kill(process.pid, "SIGKILL")'), noRestartExitCodes: [0, 137] }, policy);
    for (const worker of [listed, other, killed]) await worker.told('unable_to_start');
    expect(listed.events).toEqual(['unable_to_start']);
    expect(other.events).toEqual(['retrying', 'retrying', 'unable_to_start']);
    expect(killed.events).toEqual(['retrying', 'retrying', 'unable_to_start']);
  });

  it('runToCompletion makes exit code 0 its completion, and nothing else', async () => {
    const policy = { restartPolicy: { ...NO_WAIT, maxRestarts: 1 } };
    const done = run({ ...node(''), runToCompletion: true }, policy);
    const failed = run({ ...node('process.exit(1)'), runToCompletion: true }, policy);
    await done.told('completed');
    await failed.told('unable_to_start');
    expect([done.events, failed.events]).toEqual([['completed'], ['retrying', 'unable_to_start']]);
  });

  it('readyWhen absent leaves it starting until it has run for the reset interval', async () => {
    const patient = run(node(STAY));
    const quick = run(node(STAY), { restartResetIntervalMs: 700 });
    await quick.told('started');
    await patient.pid();
    expect(patient.events).toEqual([]);
  });

  it('readyWhen with a port waits until that accepts connections', async () => {
    const port = await freePort();
    const code = `console.log('pid', process.pid); process.stdin.resume(); process.on('SIGUSR2', () =>
      require('node:net').createServer((s) => s.resume()).listen(${port}, '127.0.0.1')); setInterval(() => {}, 1000)`;
    const worker = run({ ...node(code), readyWhen: { tcp: { port } } });
    const pid = await worker.pid();
    // Two tries at least.
    await sleep(600);
    expect(worker.events).toEqual([]);
    process.kill(pid, 'SIGUSR2');
    await worker.told('started');
    await worker.controller.stop();
    expect(worker.events).toEqual(['started', 'ended']);
  });

  it('readyWhen with a URL waits for 200 to 399, on connections that it does not keep', async () => {
    const answers = [503, 404, 500, 302];
    let asked = 0;
    let connections = 0;
    const server = createServer((_, response) => {
      response.writeHead(answers[asked++] ?? 200, { location: '/elsewhere' }).end();
    });
    server.on('connection', () => connections++);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const worker = run({ ...node(STAY), readyWhen: { http: `http://127.0.0.1:${port}/health` } });
    await worker.told('started');
    expect([asked, connections]).toEqual([4, 4]);
    await worker.controller.stop();
    await new Promise((resolve) => server.close(resolve));
    expect(asked).toBe(4);
  });

  it('readyWhen tries again after an answer that does not come within a second', async () => {
    let asked = 0;
    const server = createServer((_, response) => {
      if (++asked > 1) response.end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const worker = run({ ...node(STAY), readyWhen: { http: `http://127.0.0.1:${port}/` } });
    await worker.told('started');
    expect(asked).toBe(2);
    await worker.controller.stop();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  it('readyWhen says nothing after the process has ended, and asks no more', async () => {
    const worker = run({ ...node('process.exit(1)'), readyWhen: { tcp: { port: 1 } } });
    await worker.told('unable_to_start');
    expect(worker.events).toEqual(['unable_to_start']);
  });

  it('logger gets each line, cut at 4096 characters, and of more than 200 in a second a count', async () => {
    const long = run({
      ...node(
        "console.log('x'.repeat(10000)); console.log('after'); console.error('oops\\r'); process.stdout.write('no newline')",
      ),
      runToCompletion: true,
    });
    await long.told('completed');
    await long.said(/no newline/);
    expect(long.lines.filter((line) => !line.startsWith('!'))).toEqual([`${'x'.repeat(4096)}…`, 'after', 'no newline']);
    expect(long.lines).toContain('! oops');
    const flood = run({
      ...node("process.stdout.write(Array.from({ length: 5000 }, (_, i) => 'line ' + i).join('\\n') + '\\n')"),
      runToCompletion: true,
    });
    await flood.said(/more lines in that second/);
    expect(flood.lines.filter((line) => line.startsWith('line')).length).toBeLessThanOrEqual(600);
    const counted = flood.lines
      .map((line) => /^\((\d+) more/.exec(line)?.[1] ?? 1)
      .reduce<number>((sum, count) => sum + Number(count), 0);
    expect(counted).toBe(5000);
  });

  it('output that nobody takes neither blocks the process nor fills the memory', async () => {
    const worker = run({
      ...node("const line = 'y'.repeat(1000) + '\\n'; for (let i = 0; i < 20000; i++) process.stdout.write(line)"),
      logger: undefined,
      runToCompletion: true,
    });
    await worker.told('completed');
  });
});

describe('a process group', () => {
  const PARENT = (grandchild: string, then: string) => `
    const child = require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(grandchild)}], { stdio: ['ignore', 'pipe', 'ignore'] });
    child.stdout.once('data', (data) => { process.stdout.write(data); console.log('pid', process.pid); ${then} });
    setInterval(() => {}, 1000);`;
  const grandchildOn = (port: number) =>
    `process.on('SIGTERM', () => {}); require('node:net').createServer().listen(${port}, '127.0.0.1', () => console.log('grandchild', process.pid));`;

  it('is stopped whole: a grandchild that ignores the signal is killed', async () => {
    const worker = run({ ...node(PARENT(grandchildOn(0), '')), killAfterMs: 300 });
    const pids = [await worker.pid('grandchild'), await worker.pid()];
    expect(pids.map(stateOf)).toEqual(['alive', 'alive']);
    expect(await worker.controller.stop()).toMatchObject({ unfinished: [] });
    expect(stateOf(pids[1] ?? 0)).toBe('gone');
    // Orphaned, it is reaped by the first process of the machine, if that does so.
    expect(stateOf(pids[0] ?? 0)).not.toBe('alive');
  });

  it('is gone before a restart, so that a grandchild that held the port is not in its way', async () => {
    const port = await freePort();
    const worker = run(
      { ...node(PARENT(grandchildOn(port), 'setTimeout(() => process.exit(1), 50)')) },
      { restartPolicy: { ...NO_WAIT, maxRestarts: 2 } },
    );
    const pids = [1, 2, 3].map((nth) => worker.pid('grandchild', nth));
    for (const pid of pids) expect(await pid).toBeGreaterThan(0);
    await worker.told('unable_to_start');
    expect(worker.events).toEqual(['retrying', 'retrying', 'unable_to_start']);
    for (const pid of pids) expect(stateOf(await pid)).not.toBe('alive');
  });

  it('of a worker whose old run holds the port still is waited for: no EADDRINUSE after restarts for health and by hand', async () => {
    const port = await freePort();
    // It takes its time to let go of the port.
    const code = `const server = require('node:net').createServer((s) => s.destroy());
      server.on('error', (error) => { console.error(error.code); process.exit(1) });
      server.listen(${port}, '127.0.0.1', () => console.log('pid', process.pid));
      process.on('SIGTERM', () => setTimeout(() => process.exit(0), 300));`;
    let sick = false;
    const worker = run(
      { ...node(code), readyWhen: { tcp: { port } } },
      { status: () => !sick, restartPolicy: { ...NO_WAIT, healthFailureThreshold: 1, healthCheckIntervalMs: 50 } },
    );
    await worker.told('started');
    sick = true;
    await worker.told('retrying');
    sick = false;
    await worker.told('started', 2);
    await worker.controller.restart('worker');
    expect(worker.lines.filter((line) => line.startsWith('!'))).toEqual([]);
    expect(worker.events).toEqual(['started', 'retrying', 'started', 'started']);
    const pids = await Promise.all([1, 2, 3].map((nth) => worker.pid('pid', nth)));
    expect(pids.map(stateOf)).toEqual(['gone', 'gone', 'alive']);
    await worker.controller.stop();
    expect(pids.map(stateOf)).toEqual(['gone', 'gone', 'gone']);
  });

  it('of a start that timed out is gone before the next one runs, however short the backoff', async () => {
    // EADDRINUSE: the next process came up against the port of the one that had been told to go.
    const port = await freePort();
    const code = `process.on('SIGTERM', () => {});
      const server = require('node:net').createServer();
      server.on('error', (error) => { console.error(error.code); process.exit(1) });
      server.listen(${port}, '127.0.0.1', () => console.log('pid', process.pid));`;
    const worker = run(
      { ...node(code), killAfterMs: 500 },
      { startTimeoutMs: 3000, restartPolicy: { ...NO_WAIT, maxRestarts: 1 } },
    );
    const first = await worker.pid();
    const second = await worker.pid('pid', 2);
    expect([stateOf(first), stateOf(second)]).toEqual(['gone', 'alive']);
    expect(worker.lines.filter((line) => line.startsWith('!'))).toEqual([]);
    await worker.told('unable_to_start');
    expect(worker.info.error).toMatchObject({ code: 'start_timeout' });
    expect(await worker.controller.stop()).toMatchObject({ stopErrors: [] });
  });

  it('of a start that times out is gone before the next one runs', async () => {
    const worker = run(
      { ...node(STUBBORN), killAfterMs: 100 },
      { startTimeoutMs: 2000, restartPolicy: { initialBackoffMs: 600, maxRestarts: 1 } },
    );
    const first = await worker.pid();
    await worker.pid('pid', 2);
    expect(stateOf(first)).toBe('gone');
    await worker.told('unable_to_start');
    await eventually(
      () => worker.info.abandonedRuns,
      (count) => count === 0,
    );
    expect(await worker.controller.stop()).toMatchObject({ unfinished: [] });
  });

  it('leaves nothing behind when it is stopped while it starts', async () => {
    const worker = run({ ...node(STAY), readyWhen: { tcp: { port: 1 } } });
    const pid = await worker.pid();
    expect(await worker.controller.stop()).toMatchObject({ unfinished: [], stopErrors: [] });
    expect([stateOf(pid), worker.events]).toEqual(['gone', ['ended']]);
  });

  it('leaves nothing behind when it is stopped in the very turn in which it is started', async () => {
    const worker = run(node(STAY));
    const outcome = await worker.controller.stop();
    expect(outcome).toMatchObject({ unfinished: [], stopErrors: [] });
    expect(worker.events).toEqual(['ended']);
  });
});
