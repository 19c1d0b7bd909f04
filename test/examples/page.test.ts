import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
let child: ChildProcess | undefined;

afterEach(() => child?.kill('SIGKILL'));

it('examples/status-page/ shows browsers a page and everybody else the report, and is not held up by who looks', async () => {
  child = spawn(process.execPath, [`${root}examples/status-page/main.mjs`], {
    env: { ...process.env, PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const address = () => /open (http:\S+\/status) in a browser/.exec(output)?.[1];
  await expect.poll(address, { timeout: 30_000 }).toBeDefined();
  const url = address() ?? '';
  const html = await (await fetch(url, { headers: { accept: 'text/html' } })).text();
  expect(html).toContain('<h1>Orders</h1>');
  // From this machine itself, so with details.
  expect(html).toContain('1,204 messages wait');
  expect((await fetch(url)).headers.get('content-type')).toBe('application/json; charset=utf-8');
  const stream = await fetch(`${url}?format=events`);
  const text = stream.text();
  const exit = once(child, 'exit');
  child.kill('SIGTERM');
  expect(await exit).toEqual([0, null]);
  expect(await text).toContain('event: end');
  expect(output).toContain('ended: signal, exit code 0');
});

it('examples/control-plane/ sees one of five workers crash and recover, and knows how long each was up', async () => {
  const { stdout, stderr } = await promisify(execFile)(
    process.execPath,
    [`${root}examples/control-plane/main.mjs`, '--once'],
    { timeout: 50_000 },
  );
  expect(stderr).toBe('');
  const told = stdout.split('\n').map((line) => line.replace(/^ *[\d.]+ s {2}/, ''));
  const ids = ['alpha', 'bravo', 'charlie', 'delta', 'echo'];
  for (const id of ids) expect(told).toContain(`monitor: ${id} is running`);
  const after = told.slice(told.indexOf('worker charlie crashes'));
  const from = (who: string) => after.filter((line) => line.startsWith(who));
  expect(from('worker charlie:').slice(0, 2)).toEqual([
    'worker charlie: retrying, restarts: 1',
    'worker charlie: started, restarts: 1',
  ]);
  expect(from('monitor: charlie')).toEqual(['monitor: charlie is degraded', 'monitor: charlie is recovered']);
  expect(told.filter((line) => /^monitor: .* is (?:degraded|lost)$/.test(line))).toEqual([
    'monitor: charlie is degraded',
  ]);
  const shares = new Map(
    told.flatMap((line) => {
      const [, id = '', share] = /^(\w+) +was up for ([\d.]+) % of the time/.exec(line) ?? [];
      return share === undefined ? [] : [[id, Number(share)] as const];
    }),
  );
  expect([...shares.keys()]).toEqual(ids);
  for (const [id, share] of shares) expect([id, share > 0 && share < 100]).toEqual([id, true]);
  const others = ids.filter((id) => id !== 'charlie').map((id) => shares.get(id) ?? 0);
  expect(shares.get('charlie')).toBeLessThan(Math.min(...others));
});
