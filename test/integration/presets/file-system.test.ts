import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { diskSpace, writableDirectory } from '../../../src/presets/index.js';
import { runCheck } from '../../../src/testing/index.js';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'health-controller-'));
});

afterEach(() => rmSync(folder, { recursive: true }));

describe('writableDirectory', () => {
  const ask = (path = folder) => runCheck(writableDirectory({ path }));

  it('is healthy where it can write, and leaves nothing behind', async () => {
    const before = statSync(folder).mtimeMs;
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(await ask()).toMatchObject({ status: 'healthy' });
    expect(readdirSync(folder)).toEqual([]);
    expect(statSync(folder).mtimeMs).toBeGreaterThan(before);
  });

  it('removes leftovers and never follows a link', async () => {
    const dear = join(folder, 'dear');
    writeFileSync(dear, 'precious');
    for (let n = 0; n < 20; n++) symlinkSync(dear, join(folder, `.health-controller-${n}`));
    for (let run = 0; readdirSync(folder).length > 1 && run < 1000; run++) expect((await ask()).status).toBe('healthy');
    expect(readdirSync(folder)).toEqual(['dear']);
    expect(statSync(dear).size).toBe(8);
  });

  it('stays healthy when many ask at once', async () => {
    const results = await Promise.all(Array.from({ length: 20 }, () => ask()));
    expect(results.filter(({ status }) => status !== 'healthy')).toEqual([]);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('is unhealthy where there is no directory', async () => {
    expect(await ask(join(folder, 'none'))).toMatchObject({ status: 'unhealthy', reason: 'not_found' });
    writeFileSync(join(folder, 'file'), '');
    expect(await ask(join(folder, 'file'))).toMatchObject({ status: 'unhealthy', reason: 'not_found' });
  });

  it('is unhealthy where writing is not allowed', async () => {
    chmodSync(folder, 0o555);
    // Root may write anywhere, so it looks through the eyes of somebody else.
    const root = process.geteuid?.() === 0;
    if (root) process.seteuid?.(65_534);
    try {
      expect(await ask()).toMatchObject({ status: 'unhealthy', reason: 'permission' });
    } finally {
      if (root) process.seteuid?.(0);
      chmodSync(folder, 0o755);
    }
  });
});

describe('diskSpace', () => {
  it('measures the file system of its path', async () => {
    const result = await runCheck(diskSpace({ path: folder, degradedBelowBytes: 0, unhealthyBelowBytes: 0 }));
    expect(result).toMatchObject({ status: 'healthy', data: { path: folder } });
    const { freeBytes, totalBytes } = result.data as { freeBytes: number; totalBytes: number };
    expect(freeBytes).toBeGreaterThan(0);
    expect(totalBytes).toBeGreaterThan(freeBytes);
  });

  it('is unhealthy where less is left than asked for, or nothing is there', async () => {
    const path = folder;
    const most = Number.MAX_SAFE_INTEGER;
    expect(await runCheck(diskSpace({ path, unhealthyBelowBytes: most }))).toMatchObject({ reason: 'disk_space' });
    expect(await runCheck(diskSpace({ path: join(path, 'none') }))).toMatchObject({ reason: 'not_found' });
  });
});
