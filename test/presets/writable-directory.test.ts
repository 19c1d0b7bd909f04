import { describe, expect, it } from 'vitest';
import { writableDirectory } from '../../src/presets/index.js';
import { type Files, writableDirectoryIn } from '../../src/presets/writable-directory.js';
import { FakeClock, runCheck, seededRandom } from '../../src/testing/index.js';

const fault = (code: string) => Object.assign(new Error(`${code}: no`), { code });

/** The names are numbered from 0 here. */
const name = (number: number) => `/d/.health-controller-${number}`;
const open = (number: number) => `open ${name(number)} wx 600`;
const unlink = (number: number) => `unlink ${name(number)}`;

/** A directory that notes what is done to it; `failing` says which step fails, and how often. */
function directory(failing: Partial<Record<'open' | 'write' | 'sync' | 'close' | 'unlink', string[]>> = {}) {
  const log: string[] = [];
  const step = async (name: keyof typeof failing, entry: string = name) => {
    log.push(entry);
    const code = failing[name]?.shift();
    if (code !== undefined) throw fault(code);
  };
  const files: Files = {
    async open(path, flags, mode) {
      await step('open', `open ${path} ${flags} ${mode.toString(8)}`);
      return { writeFile: () => step('write'), datasync: () => step('sync'), close: () => step('close') };
    },
    unlink: (path) => step('unlink', `unlink ${path}`),
  };
  let number = 0;
  return { log, check: writableDirectoryIn(files, () => number++ / 100, { path: '/d' }) };
}

it('writes a new file through to the disk and removes it', async () => {
  const { log, check } = directory();
  expect(await runCheck(check)).toMatchObject({ status: 'healthy' });
  expect(log).toEqual([open(0), 'write', 'sync', 'close', unlink(0)]);
});

describe('a step that fails', () => {
  it.each([
    ['open', 'EACCES', 'permission', [open(0)]],
    ['open', 'EROFS', 'read_only', [open(0)]],
    ['open', 'ENOENT', 'not_found', [open(0)]],
    ['open', 'ENOTDIR', 'not_found', [open(0)]],
    ['write', 'ENOSPC', 'disk_full', [open(0), 'write', 'close', unlink(0)]],
    ['sync', 'EDQUOT', 'disk_full', [open(0), 'write', 'sync', 'close', unlink(0)]],
    ['close', 'EIO', 'file_system', [open(0), 'write', 'sync', 'close', unlink(0)]],
    ['unlink', 'EPERM', 'permission', [open(0), 'write', 'sync', 'close', unlink(0)]],
  ])('%s with %s is unhealthy, reason %s, and leaves nothing behind', async (step, code, reason, steps) => {
    const { log, check } = directory({ [step]: [code] });
    expect(await runCheck(check)).toMatchObject({
      status: 'unhealthy',
      message: `cannot write to /d: ${code}: no`,
      reason,
    });
    expect(log).toEqual(steps);
  });
});

it('removes what stands under its name, a leftover or a link, and takes another', async () => {
  const { log, check } = directory({ open: ['EEXIST', 'EEXIST'] });
  expect((await runCheck(check)).status).toBe('healthy');
  expect(log).toEqual([open(0), unlink(0), open(1), unlink(1), open(2), 'write', 'sync', 'close', unlink(2)]);
});

it('gives up when every name is taken', async () => {
  const { log, check } = directory({ open: new Array(20).fill('EEXIST') });
  expect(await runCheck(check)).toMatchObject({ status: 'unhealthy', reason: 'file_system' });
  expect(log.filter((entry) => entry.startsWith('open'))).toHaveLength(10);
});

it('knows 100 names, whatever the chance', async () => {
  const seen = new Set<string>();
  const random = seededRandom(1);
  const files: Files = {
    open: async (path) => {
      seen.add(path);
      throw fault('EEXIST');
    },
    unlink: async () => {},
  };
  for (let run = 0; run < 200; run++) await runCheck(writableDirectoryIn(files, random, { path: '/d' }));
  expect([...seen].sort()).toEqual(Array.from({ length: 100 }, (_, number) => name(number)).sort());
});

it('does not mind that another process has removed its file', async () => {
  const { check } = directory({ unlink: ['ENOENT'] });
  expect((await runCheck(check)).status).toBe('healthy');
});

it('removes the file also when the run has long timed out', async () => {
  const clock = new FakeClock();
  const log: string[] = [];
  let goOn = () => {};
  const files: Files = {
    open: async () => ({
      writeFile: () => new Promise<void>((resolve) => (goOn = resolve)),
      datasync: async () => {},
      close: async () => void log.push('close'),
    }),
    unlink: async () => void log.push('unlink'),
  };
  const result = runCheck(
    writableDirectoryIn(files, () => 0, { path: '/d', timeoutMs: 50 }),
    { clock },
  );
  await clock.advance(50);
  expect(await result).toMatchObject({ status: 'unhealthy', reason: 'timeout' });
  goOn();
  await clock.advance(0);
  expect(log).toEqual(['close', 'unlink']);
});

it.each([
  ['no path', {}],
  ['a path that is no text', { path: 5 }],
  ['an unknown option', { path: '/d', file: 'x' }],
])('refuses %s', (_name, options) => {
  expect(() => writableDirectory(options as never)).toThrow(expect.objectContaining({ code: 'invalid_option' }));
});
