import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, it } from 'vitest';

const MAIN = fileURLToPath(new URL('../../examples/demo/main.mjs', import.meta.url));

/** A demo under way, with everything that it has printed so far. */
class Demo {
  readonly #child: ChildProcessByStdio<null, Readable, Readable>;
  readonly #ended: Promise<unknown>;
  output = '';
  complaints = '';

  constructor(...args: string[]) {
    this.#child = spawn(process.execPath, [MAIN, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
    this.#ended = once(this.#child, 'close');
    this.#child.stdout.setEncoding('utf8').on('data', (text) => {
      this.output += text;
    });
    this.#child.stderr.setEncoding('utf8').on('data', (text) => {
      this.complaints += text;
    });
  }

  /** What `pattern` finds in the output, now or later. */
  async printed(pattern: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const found = pattern.exec(this.output);
      if (found !== null) return found;
      await Promise.race([
        once(this.#child.stdout, 'data'),
        this.#ended.then(() => {
          if (!pattern.test(this.output)) throw new Error(`ended without ${pattern}: ${this.output}${this.complaints}`);
        }),
      ]);
    }
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  async exitCode(): Promise<number | null> {
    await this.#ended;
    return this.#child.exitCode;
  }
}

let demo: Demo | undefined;

afterEach(() => demo?.kill('SIGKILL'));

/** Where the text has these patterns one after the other; the first that is missing fails. */
function expectInOrder(text: string, patterns: readonly RegExp[]): void {
  let rest = text;
  for (const pattern of patterns) {
    const found = pattern.exec(rest);
    if (found === null) throw new Error(`${pattern} does not follow; what follows is:\n${rest}\nof:\n${text}`);
    rest = rest.slice(found.index + found[0].length);
  }
}

it('examples/demo/ recovers its worker, loses its upstream, gets it back, and ends by itself with the request finished', async () => {
  const begun = performance.now();
  demo = new Demo();
  expect(await demo.exitCode()).toBe(0);
  expect(performance.now() - begun).toBeLessThan(15_000);
  expect(demo.complaints).toBe('');
  expectInOrder(demo.output, [
    /^\nStarting an upstream server/,
    /upstream: process \d+ listens on port \d+\n/,
    /the controller: never_started -> running\n/,
    /ready: the API is at http:\/\/127\.0\.0\.1:\d+\/price, health at http:\/\/127\.0\.0\.1:\d+\/livez/,
    /\nEverything is there/,
    /\/livez\?format=text -> 200 ok\n/,
    /\/readyz\?format=text&verbose -> 200 /,
    /\[\+\]api ok\n +\[\+\]worker ok\n +\[\+\]upstream ok\n/,
    /\[\+\]writable-directory ok\n +\[\+\]disk-space ok\n +\[\+\]event-loop-delay ok\n +readyz check passed\n/,
    /\/price -> 200 {"price":42}\n/,
    /\nThe worker crashes/,
    /service worker: retrying \(Error: a job without a customer\)\n/,
    /\/readyz\?format=text -> 503 /,
    /\[-\]worker failed: reason withheld\n/,
    /\/livez\?format=text -> 200 ok\n/,
    /service worker: started\n/,
    /the worker is up: true, restarts: 1, at work again: true\n/,
    /\/readyz\?format=text -> 200 ok\n/,
    /\nKilling the upstream/,
    /check upstream: healthy -> unhealthy \(connect\)\n/,
    /\/readyz\?format=text -> 503 /,
    /\[-\]upstream failed: reason withheld\n/,
    /readyz check failed\n/,
    /\/livez\?format=text -> 200 ok\n/,
    /\/price -> 502 /,
    /\nStarting it again/,
    /check upstream: unhealthy -> healthy\n/,
    /\/readyz\?format=text -> 200 ok\n/,
    /\/livez\?format=text -> 200 ok\n/,
    /\/price -> 200 {"price":42}\n/,
    /\nSIGTERM, while a request/,
    /the controller: running -> stopping\n/,
    /\/readyz\?format=text -> 503 /,
    /\[-\]lifecycle failed: reason withheld\n/,
    /\/livez\?format=text -> 200 ok\n/,
    /\/price -> 200 {"price":42}\n/,
    /service worker: ended\n/,
    /the controller: stopping -> stopped\n/,
  ]);
  expect(demo.output).toContain('the request that was under way: 200 the report, complete\n');
  expect(demo.output).toMatch(
    /\nStopped by SIGTERM in \d+ ms, unfinished: nothing, exit code 0\. The worker did \d+ jobs\.\n$/,
  );
  expect(demo.output).not.toMatch(/livez\S* -> (?!200)/);
});

it('examples/demo/ with --serve stays, brings its upstream back, and leaves at Ctrl-C with nothing left behind', async () => {
  demo = new Demo('--serve');
  const [, url, path, pid] = await demo.printed(/Watch (http:\S+)(\/readyz\S+) and kill the upstream, process (\d+)\./);
  expect((await fetch(`${url}${path}`)).status).toBe(200);
  expect((await fetch(`${url}/livez`)).status).toBe(200);
  process.kill(Number(pid), 'SIGKILL');
  await demo.printed(/check upstream: healthy -> unhealthy/);
  expect((await fetch(`${url}${path}`)).status).toBe(503);
  const [, newPid] = await demo.printed(/the upstream is back, process (\d+)\n/);
  await demo.printed(/check upstream: unhealthy -> healthy/);
  demo.kill('SIGINT');
  expect(await demo.exitCode()).toBe(0);
  expect(demo.output).toMatch(/\nStopped by SIGINT in \d+ ms, unfinished: nothing, exit code 0\./);
  expect(() => process.kill(Number(newPid), 0)).toThrow('ESRCH');
  expect(demo.complaints).toBe('');
});
