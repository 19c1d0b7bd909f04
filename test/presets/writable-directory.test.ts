import { describe, expect, it } from 'vitest';
import { writableDirectory } from '../../src/presets/index.js';
import { type Files, writableDirectoryIn } from '../../src/presets/writable-directory.js';
import { FakeClock, runCheck } from '../../src/testing/index.js';

const NAME = `/d/.health-controller-${String(process.pid % 100).padStart(2, '0')}`;
const fault = (code: string) => Object.assign(new Error(`${code}: no`), { code });

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
  return { log, check: writableDirectoryIn(files, { path: '/d' }) };
}

const OPEN = `open ${NAME} wx 600`;
const UNLINK = `unlink ${NAME}`;

it('writes a new file through to the disk and removes it, under one name whatever the number of runs', async () => {
  const { log, check } = directory();
  expect(await runCheck(check)).toMatchObject({ status: 'healthy' });
  await runCheck(check);
  const once = [OPEN, 'write', 'sync', 'close', UNLINK];
  expect(log).toEqual([...once, ...once]);
});

describe('a step that fails', () => {
  it.each([
    ['open', 'EACCES', 'permission', [OPEN]],
    ['open', 'EROFS', 'read_only', [OPEN]],
    ['open', 'ENOENT', 'not_found', [OPEN]],
    ['open', 'ENOTDIR', 'not_found', [OPEN]],
    ['write', 'ENOSPC', 'disk_full', [OPEN, 'write', 'close', UNLINK]],
    ['sync', 'EDQUOT', 'disk_full', [OPEN, 'write', 'sync', 'close', UNLINK]],
    ['close', 'EIO', 'file_system', [OPEN, 'write', 'sync', 'close', UNLINK]],
    ['unlink', 'EPERM', 'permission', [OPEN, 'write', 'sync', 'close', UNLINK]],
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

it('replaces what stands under its name, be it a leftover or a link', async () => {
  const { log, check } = directory({ open: ['EEXIST', 'EEXIST'] });
  expect((await runCheck(check)).status).toBe('healthy');
  expect(log).toEqual([OPEN, UNLINK, OPEN, UNLINK, OPEN, 'write', 'sync', 'close', UNLINK]);
});

it('gives up on a name that is always taken', async () => {
  const { log, check } = directory({ open: new Array(9).fill('EEXIST') });
  expect(await runCheck(check)).toMatchObject({ status: 'unhealthy', reason: 'file_system' });
  expect(log.filter((entry) => entry === OPEN)).toHaveLength(5);
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
  const result = runCheck(writableDirectoryIn(files, { path: '/d', timeoutMs: 50 }), { clock });
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
