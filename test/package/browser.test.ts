import { createContext, runInContext } from 'node:vm';
import { build } from 'esbuild';
import { describe, expect, inject, it } from 'vitest';

/** A program bundled for a browser, as a bundler does it that knows nothing of Node. */
async function bundle(program: string): Promise<{ code: string; inputs: string[] }> {
  const result = await build({
    stdin: { contents: program, resolveDir: inject('consumer') },
    bundle: true,
    platform: 'browser',
    format: 'iife',
    globalName: 'made',
    write: false,
    metafile: true,
    logLevel: 'silent',
  });
  return { code: result.outputFiles[0]?.text ?? '', inputs: Object.keys(result.metafile.inputs) };
}

const SNAPSHOT =
  '{"ts":"2026-07-03T14:00:00Z","startup":{"ok":true},"readiness":{"ok":true},"liveness":{"ok":true},"phase":"ready"}';

/** What a page has, and nothing else: timers are numbers, there is no process, no setImmediate, no Buffer. */
function page() {
  const made: { url: string; close(): void }[] = [];
  class PageWebSocket extends EventTarget {
    readonly url: string;
    constructor(url: string, protocols?: unknown) {
      super();
      // As a page's does: what is no list of names is the text of one.
      if (protocols !== undefined) throw new DOMException('[object Object]', 'SyntaxError');
      this.url = url;
      made.push(this);
    }
    close(): void {
      queueMicrotask(() => this.dispatchEvent(new Event('close')));
    }
  }
  let timers = 0;
  const handles = new Map<number, NodeJS.Timeout>();
  const globals = {
    AbortController,
    TextDecoder,
    TextEncoder,
    URL,
    btoa,
    queueMicrotask,
    performance: { now: () => performance.now() },
    fetch: async (url: string) => new Response(url === 'http://w.test/api/health' ? SNAPSHOT : '', { status: 200 }),
    WebSocket: PageWebSocket,
    setTimeout: (callback: () => void, ms: number) => {
      const id = ++timers;
      handles.set(
        id,
        setTimeout(() => {
          handles.delete(id);
          callback();
        }, ms),
      );
      return id;
    },
    clearTimeout: (id: number) => {
      clearTimeout(handles.get(id));
      handles.delete(id);
    },
  };
  return { globals, made, handles };
}

describe('health-controller/client in a browser', () => {
  it('is bundled without a module of Node and without a package of anybody', async () => {
    const { code, inputs } = await bundle("export * from 'health-controller/client';");
    expect(code).not.toMatch(/\brequire\(|["']node:/);
    expect(inputs.filter((path) => !/<stdin>|health-controller\/dist\//.test(path))).toEqual([]);
  });

  it('polls by HTTP and listens by WebSocket with what a page has, and leaves nothing', async () => {
    const { code } = await bundle("export { HealthMonitor, HealthPoller } from 'health-controller/client';");
    const { globals, made, handles } = page();
    const program = `(async () => {
      ${code}
      const poller = new made.HealthPoller({ url: 'http://w.test' });
      poller.start();
      const polled = await poller.poll();
      const running = await poller.whenRunning({ timeoutMs: 5000 });
      await poller.stop();
      const monitor = new made.HealthMonitor();
      monitor.add({ id: 'a', url: 'http://w.test' });
      const up = new Promise((resolve) => monitor.once('running', resolve));
      monitor.start();
      await up;
      await monitor.stop();
      return JSON.stringify({ polled: polled.ok, running, monitored: monitor.get('a').instanceStatus });
    })()`;
    const told = await runInContext(program, createContext(globals));
    expect(JSON.parse(told)).toEqual({ polled: true, running: true, monitored: 'running' });
    expect(made.map(({ url }) => url)).toEqual(['ws://w.test/api/health/ws']);
    expect(handles.size).toBe(0);
  });
});
