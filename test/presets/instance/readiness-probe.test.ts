import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import {
  defaultProbe,
  type ExecOutcome,
  execProbe,
  type HttpProbeOptions,
  httpProbe,
  type InstanceContainer,
  parseReadinessProbe,
  type ReadinessProbe,
} from '../../../src/presets/instance/index.js';
import { FakeClock } from '../../../src/testing/index.js';
import { ended, found, ScriptedContainer } from './support/doubles.js';

const servers: Server[] = [];

afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => new Promise((resolve) => server.close(resolve))));
});

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  servers.push(server);
  await new Promise((resolve) => server.once('listening', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const context = (container: InstanceContainer) => ({
  signal: new AbortController().signal,
  timeoutMs: 1000,
  clock: new FakeClock(),
  container,
});

const run = (probe: ReadinessProbe | undefined, ...ends: readonly ExecOutcome[]) =>
  probe?.run(context(new ScriptedContainer([found()], ends)));

async function commandOf(probe: ReadinessProbe | undefined): Promise<readonly string[] | undefined> {
  const container = new ScriptedContainer([found()]);
  await probe?.run(context(container));
  return container.commands[0];
}

describe('httpProbe', () => {
  const answering = (status: number) =>
    serve((_, response) => {
      response.writeHead(status, { location: '/elsewhere' }).end('body');
    });

  it.each([
    [200, 'passed'],
    [204, 'passed'],
    [301, 'passed'],
    [399, 'passed'],
    [400, 'failed'],
    [404, 'failed'],
    [503, 'failed'],
  ])('status %d has %s', async (status, outcome) => {
    expect(await run(httpProbe(await answering(status)))).toMatchObject({ outcome });
  });

  it.each<[HttpProbeOptions['expect'], number, string]>([
    [204, 204, 'passed'],
    [204, 200, 'failed'],
    [[200, 302], 302, 'passed'],
    [[200, 302], 204, 'failed'],
    [(status) => status !== 204, 200, 'passed'],
    [(status) => status !== 204, 204, 'failed'],
    [() => true, 404, 'failed'],
  ])('expecting %s, status %d has %s: it narrows and never widens', async (expect_, status, outcome) => {
    expect(await run(httpProbe(await answering(status), { expect: expect_ }))).toMatchObject({ outcome });
  });

  it('asks once by GET and follows no redirect', async () => {
    const asked: string[] = [];
    const url = await serve((request, response) => {
      asked.push(`${request.method} ${request.url}`);
      response.writeHead(302, { location: '/other' }).end();
    });
    await run(httpProbe(new URL('/ready?x=1', url)));
    expect(asked).toEqual(['GET /ready?x=1']);
  });

  it('says which code a failed connection had, and never the URL', async () => {
    const url = await serve(() => {});
    servers.pop()?.close();
    expect(await run(httpProbe(url.replace('//', '//user:secret@')))).toEqual({
      outcome: 'failed',
      message: 'no answer: ECONNREFUSED',
    });
  });

  it.each<[unknown, object]>([
    ['no url', {}],
    ['ftp://example.test', {}],
    [undefined, {}],
    ['http://example.test', { expect: 404 }],
    ['http://example.test', { expect: [] }],
    ['http://example.test', { expect: '200' }],
    ['http://example.test', { expects: 200 }],
  ])('refuses %j with %j', (url, options) => {
    expect(() => httpProbe(url as string, options)).toThrow(expect.objectContaining({ code: 'invalid_option' }));
  });

  it('does not repeat a URL that it refuses: it may hold a password', () => {
    expect(() => httpProbe('ftp://user:secret@example.test')).toThrow(
      'httpProbe(): the URL: expected an http or https URL, got "another text"',
    );
  });
});

describe('execProbe', () => {
  it('executes a list as it is, and gives a text to the shell', async () => {
    expect(await commandOf(execProbe(['curl', '-f', 'http://localhost']))).toEqual(['curl', '-f', 'http://localhost']);
    expect(await commandOf(execProbe('curl -f http://localhost | grep ok'))).toEqual([
      'sh',
      '-c',
      'curl -f http://localhost | grep ok',
    ]);
  });

  it('has passed at exit code 0', async () => {
    expect(await run(execProbe(['check']), ended(0, 'noise'))).toEqual({ outcome: 'passed' });
  });

  it('has failed at another one, with what it printed', async () => {
    expect(await run(execProbe(['check', '-q']), ended(22, ' refused\n on 8080\n'))).toEqual({
      outcome: 'failed',
      message: 'check -q: exit code 22: refused on 8080',
    });
  });

  // The engine reports a missing executable on stdout.
  it.each([126, 127])('cannot be run at exit code %d, with what the engine printed', async (exitCode) => {
    expect(await run(execProbe(['curl']), ended(exitCode, '', 'executable file not found\r\n'))).toEqual({
      outcome: 'unvalidated',
      message: `curl: exit code ${exitCode}: executable file not found`,
    });
  });

  // As Docker 20.10 and runc 1.1 were seen to say.
  it.each([
    'OCI runtime exec failed: exec failed: unable to start container process: error writing config to pipe: write init-p: broken pipe: unknown',
    'OCI runtime exec failed: exec failed: unable to start container process: error executing setns process: exit status 1: unknown',
    'cannot exec in a deleted state: unknown',
  ])('has failed where the container ends just then, which looks alike: %s', async (printed) => {
    expect(await run(execProbe(['curl']), ended(126, '', printed))).toMatchObject({ outcome: 'failed' });
  });

  it.each([
    'OCI runtime exec failed: exec failed: unable to start container process: exec: "curl": executable file not found in $PATH: unknown',
    'OCI runtime exec failed: exec failed: unable to start container process: exec: "/tmp": permission denied: unknown',
    'Error: runc: exec failed: unable to start container process: exec: "curl": executable file not found in $PATH: OCI runtime attempted to invoke a command that was not found',
    'sh: curl: not found',
  ])('cannot be run where the engine says: %s', async (printed) => {
    expect(await run(execProbe(['curl']), ended(126, '', printed))).toMatchObject({ outcome: 'unvalidated' });
  });

  it('cuts what was printed', async () => {
    const finding = await run(execProbe(['x']), ended(1, 'y'.repeat(4000)));
    expect(finding).toMatchObject({ message: `x: exit code 1: ${'y'.repeat(300)}…` });
  });

  it.each<[ExecOutcome, string]>([
    [{ kind: 'busy' }, 'an earlier run of the command has not ended'],
    [{ kind: 'refused', message: 'it is paused' }, 'the command was not run: it is paused'],
  ])('has failed where it was not run: %j', async (outcome, message) => {
    expect(await run(execProbe(['x']), outcome)).toEqual({ outcome: 'failed', message });
  });

  it('has failed where the container cannot run commands', async () => {
    expect(await execProbe(['x']).run(context({ observe: () => found() }))).toEqual({
      outcome: 'failed',
      message: 'the container has no way to run a command',
    });
  });

  it.each([[''], ['  '], [[]], [['']], [['a', 1]], [undefined], [7]])('refuses the command %j', (command) => {
    expect(() => execProbe(command as string)).toThrow(expect.objectContaining({ code: 'invalid_option' }));
  });
});

describe('defaultProbe', () => {
  it('of a web tool asks its port in the container', async () => {
    expect(await commandOf(defaultProbe('web', 8080))).toEqual(['curl', '-f', 'http://localhost:8080']);
  });

  it('of a terminal is none', () => {
    expect(defaultProbe('terminal')).toBeUndefined();
  });

  it.each([[0], [65_536], [80.5], ['80'], [undefined]])('refuses the port %j', (port) => {
    expect(() => defaultProbe('web', port as number)).toThrow('a port from 1 to 65535');
  });

  it('refuses another kind', () => {
    expect(() => defaultProbe('desktop' as 'terminal')).toThrow("expected 'web' or 'terminal'");
  });
});

describe('parseReadinessProbe', () => {
  it.each([[null], [undefined], [''], ['  '], ['null'], ['none'], [{ type: 'none' }], ['{"type":"none"}']])(
    'finds no probe in %j',
    (json) => {
      expect(parseReadinessProbe(json)).toBeUndefined();
    },
  );

  const curl = ['curl', '-f', 'http://localhost:8080/health'];
  const shell = ['sh', '-c', 'curl -f http://localhost:8080/health'];

  it.each<[unknown, readonly string[]]>([
    ['curl -f http://localhost:8080/health', shell],
    ['"curl -f http://localhost:8080/health"', shell],
    [JSON.stringify(curl), curl],
    [curl, curl],
    [{ command: curl }, curl],
    [{ type: 'exec', command: shell[2] }, shell],
    ['{"type":"exec","command":"curl -f http://localhost:8080/health"}', shell],
    ['[ -f /tmp/ready ]', ['sh', '-c', '[ -f /tmp/ready ]']],
  ])('finds a command in %j', async (json, command) => {
    expect(await commandOf(parseReadinessProbe(json))).toEqual(command);
  });

  it('finds an HTTP probe', async () => {
    const url = await serve((_, response) => response.writeHead(204).end());
    expect(await run(parseReadinessProbe({ url }))).toEqual({ outcome: 'passed' });
    expect(await run(parseReadinessProbe(JSON.stringify({ type: 'http', url, expect: 200 })))).toMatchObject({
      outcome: 'failed',
    });
  });

  it('takes the timing along', () => {
    const json = '{"command":"x","readinessTimeoutMs":60000,"probeTimeoutMs":900,"probeIntervalMs":500}';
    expect(parseReadinessProbe(json)).toMatchObject({
      readinessTimeoutMs: 60_000,
      probeTimeoutMs: 900,
      probeIntervalMs: 500,
    });
  });

  it.each<[unknown, string]>([
    ['{"type":"exec"', 'expected JSON, or a command line'],
    ['{}', 'an object with "type", "command" or "url"'],
    [{ type: 'tcp', port: 1 }, 'unknown option "port"'],
    [{ type: 'tcp' }, "expected 'exec' or 'http' or 'none'"],
    [{ type: 'exec' }, 'the command: expected a command line'],
    [{ type: 'http' }, 'expected an http or https URL'],
    [{ type: 'http', url: 'http://x.test', command: 'y' }, 'expected "url" without "command"'],
    [{ type: 'exec', command: 'y', expect: 200 }, 'expected "command" without "expect"'],
    [{ url: 'http://x.test', expect: () => true }, 'expected a status or a list'],
    [{ command: 'x', readinessTimeoutMs: '30' }, 'expected a number of milliseconds'],
    [7, 'expected an object of options'],
  ])('refuses %j', (json, sentence) => {
    expect(() => parseReadinessProbe(json)).toThrow(sentence);
    expect(() => parseReadinessProbe(json)).toThrow(expect.objectContaining({ code: 'invalid_option' }));
  });
});
