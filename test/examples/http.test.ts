import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';
import { healthPaths } from '../../src/http/index.js';
import { needs } from '../integration/support/needs.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const running = new Set<ChildProcess>();

afterEach(async () => {
  for (const child of running) {
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
});

interface Example {
  readonly url: string;
  readonly output: () => string;
  /** Asks it to end, and gives its exit code. */
  readonly end: () => Promise<number | string | null>;
  readonly terminate: () => void;
}

async function start(file: string, env: Readonly<Record<string, string>> = {}): Promise<Example> {
  const child = spawn(process.execPath, [root + file], {
    cwd: root,
    env: { ...process.env, PORT: '0', DRAIN_MS: '1000', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.add(child);
  const exited = once(child, 'exit').then(([code, signal]) => {
    running.delete(child);
    return (code ?? signal) as number | string;
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const address = () => /listening on (\S+)/.exec(output)?.[1];
  await expect.poll(() => address() ?? child.exitCode ?? child.signalCode, { timeout: 30_000 }).not.toBeNull();
  const url = address();
  if (url === undefined) throw new Error(`${file} ended: ${output}`);
  const terminate = () => child.kill('SIGTERM');
  const end = () => {
    terminate();
    return exited;
  };
  return { url, output: () => output, terminate, end };
}

const status = async (url: string) => (await fetch(url)).status;

/** What every example of a framework does. */
async function servesAndDrains(example: Example, work: string): Promise<void> {
  const { url, end, terminate, output } = example;
  await expect.poll(() => status(`${url}/readyz`)).toBe(200);
  expect(await status(`${url}/livez`)).toBe(200);
  expect(await status(`${url}/READYZ/`)).toBe(200);
  expect(await status(`${url}/readyz/none`)).toBe(404);
  expect(await (await fetch(`${url}/livez?format=text`)).text()).toBe('ok');
  expect(await (await fetch(url + work)).text()).toBe('done');
  terminate();
  await expect.poll(() => status(`${url}/readyz`)).toBe(503);
  expect(await status(`${url}/livez`)).toBe(200);
  expect(await (await fetch(url + work)).text()).toBe('done');
  expect([await end(), output()]).toEqual([0, output()]);
}

describe('an example of a framework serves, drains and ends with 0:', () => {
  it.each(['examples/express/', 'examples/fastify/', 'examples/hono/', 'examples/fetch/'])('%s', async (folder) => {
    await servesAndDrains(await start(`${folder}main.mjs`), '/work');
  });
});

it('the route of Next in examples/fetch/ answers for the report and for each entry', async () => {
  const route = `${root}examples/fetch/next/app/readyz/[[...entry]]/route.mjs`;
  const script = `
    import { pathToFileURL } from 'node:url';
    const { GET, HEAD } = await import(pathToFileURL(${JSON.stringify(route)}));
    const asked = async (path, method = 'GET') => (await (method === 'GET' ? GET : HEAD)(new Request('http://h' + path, { method }))).status;
    console.log(await asked('/readyz'), await asked('/readyz/memory'), await asked('/readyz/none'), await asked('/readyz', 'HEAD'));
    process.exit();
  `;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script], {
    cwd: root,
  });
  expect(stdout).toBe('200 200 404 200\n');
});

const nest = await needs('examples/nest dependencies', () =>
  existsSync(`${root}examples/nest/node_modules/@nestjs/core`),
);

describe.skipIf(!nest)('examples/nest/', () => {
  it('serves, drains and ends with 0', async () => {
    await servesAndDrains(await start('examples/nest/main.mjs'), '/api/work');
  });

  it('gives @nestjs/terminus an indicator that follows the controller', async () => {
    const { url, terminate, end } = await start('examples/nest/main.mjs');
    const health = async () => (await (await fetch(`${url}/api/health`)).json()) as object;
    await expect.poll(health).toMatchObject({ status: 'ok', info: { controller: { status: 'up' } } });
    terminate();
    await expect
      .poll(health)
      .toMatchObject({ status: 'error', error: { controller: { status: 'down', reason: 'draining' } } });
    expect(await end()).toBe(0);
  });

  it('shows what it replaces', async () => {
    const { url } = await start('examples/nest/before.mjs');
    expect(await status(`${url}/api/health`)).toBe(200);
    expect(await (await fetch(`${url}/api/work`)).text()).toBe('done');
  });
});

const peers = await needs('examples/migrate dependencies', () =>
  existsSync(`${root}examples/migrate/node_modules/lightship`),
);

describe.skipIf(!peers)('examples/migrate/', () => {
  it.each(['before', 'after'])(
    'lightship, %s: a blocking task, a job that holds the shutdown up, the same paths',
    async (side) => {
      const env = { HEALTH_PORT: String(20_000 + (process.pid % 10_000)), JOB_MS: '500', DRAIN_MS: '100' };
      const { url, output, end } = await start(`examples/migrate/lightship/${side}.mjs`, env);
      const health = `http://localhost:${env.HEALTH_PORT}`;
      const bad = side === 'before' ? 500 : 503;
      expect([200, bad]).toContain(await status(`${health}/ready`));
      await expect.poll(() => status(`${health}/ready`)).toBe(200);
      expect(await status(`${health}/live`)).toBe(200);
      expect(await status(`${health}/health`)).toBe(200);
      expect(await (await fetch(`${url}/job`)).text()).toBe('begun');
      expect(await end()).toBe(0);
      expect(output().match(/the job is done|stopping/g)).toEqual(['the job is done', 'stopping']);
    },
  );

  it.each(['before', 'after'])('terminus, %s: a check, a drain, a clean-up, exit code 0', async (side) => {
    const { url, output, end, terminate } = await start(`examples/migrate/terminus/${side}.mjs`);
    await expect.poll(() => status(`${url}/healthz`)).toBe(200);
    terminate();
    await expect.poll(() => status(`${url}/healthz`)).toBe(503);
    expect(await (await fetch(`${url}/work`)).text()).toBe('done');
    expect(await end()).toBe(0);
    expect(output().match(/the database is closed|ended/g)).toEqual(['the database is closed', 'ended']);
  });

  it.each(['before', 'after'])('under-pressure, %s: a status route, and 503 while the loop is late', async (side) => {
    const { url, end } = await start(`examples/migrate/under-pressure/${side}.mjs`);
    await expect.poll(() => status(`${url}/status`)).toBe(200);
    expect(await (await fetch(`${url}/work`)).text()).toBe('done');
    let blocking = true;
    const blocked = (async () => {
      for (let i = 0; i < 3; i++) await fetch(`${url}/block`);
      blocking = false;
    })();
    await expect.poll(() => status(`${url}/work`), { timeout: 15_000, interval: 20 }).toBe(503);
    expect(blocking).toBeDefined();
    await blocked;
    expect(await end()).toBe(0);
  });
});

describe('examples/kubernetes/', () => {
  const yaml = readFileSync(`${root}examples/kubernetes/deployment.yaml`, 'utf8');
  const probe = (kind: string) => {
    const text = yaml.slice(yaml.indexOf(`${kind}Probe:`)).split(/\n {10}\S/)[0] ?? '';
    const number = (key: string) => Number(new RegExp(`${key}: (\\d+)`).exec(text)?.[1] ?? Number.NaN);
    return {
      path: /path: (\S+)/.exec(text)?.[1],
      seconds: number('periodSeconds') * number('failureThreshold') + number('timeoutSeconds'),
    };
  };
  const drainSeconds = Number(/DRAIN_MS\s+value: "(\d+)"/.exec(yaml)?.[1]) / 1000;
  const graceSeconds = Number(/terminationGracePeriodSeconds: (\d+)/.exec(yaml)?.[1]);
  const shutdownSeconds = 5;

  it('asks the paths that there are', () => {
    const { liveness, readiness } = healthPaths();
    expect(['startup', 'liveness', 'readiness'].map((kind) => probe(kind).path)).toEqual([
      liveness,
      liveness,
      readiness,
    ]);
  });

  it('drains for longer than readiness takes to fail, and is given longer than drain and stops take', () => {
    expect(drainSeconds).toBeGreaterThan(probe('readiness').seconds);
    expect(graceSeconds).toBeGreaterThan(drainSeconds + shutdownSeconds);
    expect(probe('startup').seconds).toBeGreaterThan(10);
  });
});

describe('examples/docker-compose/', () => {
  const yaml = readFileSync(`${root}examples/docker-compose/compose.yaml`, 'utf8');

  it('its health check is a command that says what the service is', async () => {
    const [, list = ''] = /test:\s+\[([^\]]*)\]/.exec(yaml) ?? [];
    const [, ...command] = [...list.matchAll(/"([^"]*)"/g)].map(([, word = '']) => word);
    expect(command.shift()).toBe('node');
    const { url, end, terminate } = await start('examples/express/main.mjs');
    const port = new URL(url).port;
    const args = command.map((arg) => arg.replace('node_modules/health-controller/', '').replace(':8080', `:${port}`));
    const code = () =>
      promisify(execFile)(process.execPath, args, { cwd: root }).then(
        () => 0,
        (error: { code: number }) => error.code,
      );
    await expect.poll(code).toBe(0);
    terminate();
    await expect.poll(code, { interval: 10 }).toBe(1);
    expect(await end()).toBe(0);
  });

  it('gives the container longer than its drain and its stops take', () => {
    const drainMs = Number(/DRAIN_MS: "(\d+)"/.exec(yaml)?.[1]);
    const graceMs = Number(/stop_grace_period: (\d+)s/.exec(yaml)?.[1]) * 1000;
    expect(graceMs).toBeGreaterThan(drainMs + 5000);
  });
});
