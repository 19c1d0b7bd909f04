import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const MAIN = fileURLToPath(new URL('../../examples/supervision/main.mjs', import.meta.url));
const run = promisify(execFile);

it('examples/supervision/ recovers its worker, survives the restart of its jobs, and ends by itself', async () => {
  const begun = performance.now();
  const { stdout, stderr } = await run(process.execPath, [MAIN], { timeout: 20_000 });
  expect(performance.now() - begun).toBeLessThan(5000);
  expect(stderr).toBe('');
  const lines = stdout.trimEnd().split('\n');
  // Two things go on at the same time: the order within each is what counts.
  const of = (pattern: RegExp) => lines.filter((line) => pattern.test(line));
  expect(of(/^service worker/)).toEqual([
    'service worker: retrying (Error: no connection to the queue, attempt 1, restarts: 1)',
    'service worker: retrying (Error: no connection to the queue, attempt 2, restarts: 2)',
    'service worker: started',
    'service worker: ended',
  ]);
  const life = ['job mail: at work', 'job thumbnails: failed after 1 restarts (Error: no codec)'];
  expect(of(/^job/)).toEqual([...life, 'job mail: done', ...life, 'job mail: done']);
  const ready = 'ready: true (worker OK; jobs OK; failed-jobs DEGRADED: thumbnails)';
  expect(of(/^(ready|restarting|stopped|service jobs)/)).toEqual([
    'service jobs: started',
    ready,
    'restarting jobs by hand',
    'service jobs: started',
    ready,
    'stopped: the example is over, unfinished: nothing',
  ]);
});
