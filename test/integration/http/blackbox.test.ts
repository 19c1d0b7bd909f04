import type { ChildProcess } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { needs, onPath } from '../support/needs.js';
import { ask } from './support/ask.js';
import { ending, freePort, until, Workbench } from './support/processes.js';

const there = await needs('prometheus-blackbox-exporter', () => onPath('prometheus-blackbox-exporter'));

const CONFIG = `
modules:
  get:
    prober: http
    timeout: 5s
    http:
      fail_if_ssl: true
  head:
    prober: http
    timeout: 5s
    http:
      method: HEAD
  text:
    prober: http
    timeout: 5s
    http:
      headers:
        Accept: text/plain
      fail_if_body_not_matches_regexp: ['^ok$']
      fail_if_header_not_matches:
        - header: Cache-Control
          regexp: no-store
`;

describe.skipIf(!there)('to Prometheus’ blackbox exporter', () => {
  let bench: Workbench;
  let instance: ChildProcess;
  let exporter: string;
  let target: string;

  /** What the exporter makes of a path. */
  async function probed(path: string, module: string) {
    const { body } = await ask(exporter, `/probe?module=${module}&target=${encodeURIComponent(target + path)}`);
    const value = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(body)?.[1]);
    return {
      success: value('probe_success'),
      status: value('probe_http_status_code'),
      redirects: value('probe_http_redirects'),
    };
  }

  beforeAll(async () => {
    bench = await Workbench.open();
    const [port, own] = [await freePort(), await freePort()];
    target = `http://127.0.0.1:${port}`;
    exporter = `http://127.0.0.1:${own}`;
    instance = bench.start(process.execPath, [await bench.backend(), String(port), '1500']);
    const config = await bench.file('blackbox.yml', CONFIG);
    const quiet = ['--log.level=error'];
    bench.start('prometheus-blackbox-exporter', [
      `--config.file=${config}`,
      `--web.listen-address=127.0.0.1:${own}`,
      ...quiet,
    ]);
    await until('the instance is ready', async () => (await ask(target, '/readyz')).status === 200);
    await until('the exporter answers', async () => (await ask(exporter, '/-/healthy')).status === 200);
  });

  afterAll(() => bench.close());

  it.each(['get', 'head', 'text'])('a healthy service succeeds, by the module %s', async (module) => {
    for (const path of ['/livez', '/readyz', '/status', '/readyz/', '/readyz/http']) {
      expect([path, await probed(path, module)]).toEqual([path, { success: 1, status: 200, redirects: 0 }]);
    }
  });

  it('a service in maintenance, then in its drain, is not ready but alive, until it is gone', async () => {
    const states = async () => [await probed('/readyz', 'get'), await probed('/livez', 'get')];
    const notReadyButAlive = [
      { success: 0, status: 503 },
      { success: 1, status: 200 },
    ];
    instance.kill('SIGUSR2');
    await until('it is in maintenance', async () => (await probed('/readyz', 'get')).success === 0);
    expect(await states()).toMatchObject(notReadyButAlive);
    instance.kill('SIGUSR2');
    await until('maintenance is over', async () => (await probed('/readyz', 'get')).success === 1);
    instance.kill('SIGTERM');
    await until('it drains', async () => (await probed('/readyz', 'get')).success === 0);
    expect(await states()).toMatchObject(notReadyButAlive);
    expect(await ending(instance)).toBe(0);
    expect(await probed('/livez', 'get')).toMatchObject({ success: 0, status: 0 });
  });
});
