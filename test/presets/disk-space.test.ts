import { describe, expect, it } from 'vitest';
import { type DiskSpaceOptions, diskSpace } from '../../src/presets/index.js';
import { runCheck } from '../../src/testing/index.js';

const MIB = 1024 * 1024;

/** The result for a disk of 1000 MiB with so many free ones. */
function withFree(freeMib: number, options: Partial<DiskSpaceOptions> = {}) {
  const statfs = async () => ({ bsize: MIB, blocks: 1000, bavail: freeMib });
  return runCheck(diskSpace({ path: '/data', statfs, ...options }));
}

describe('by default', () => {
  it.each([
    [1000, 'healthy'],
    [100, 'healthy'],
    [99, 'degraded'],
    [10, 'degraded'],
    [9, 'unhealthy'],
    [0, 'unhealthy'],
  ])('%s MiB free of 1000 are %s', async (free, status) => {
    expect((await withFree(free)).status).toBe(status);
  });
});

it('says how much is left, in words and in bytes', async () => {
  expect(await withFree(99)).toMatchObject({
    message: '99.0 MiB of 1000.0 MiB are free on /data',
    reason: 'disk_space',
    data: { path: '/data', freeBytes: 99 * MIB, totalBytes: 1000 * MIB },
  });
  const big = async () => ({ bsize: MIB, blocks: 500 * 1024, bavail: 1536 });
  expect((await withFree(0, { statfs: big })).message).toBe('1.5 GiB of 500.0 GiB are free on /data');
});

describe('limits', () => {
  it.each<[string, Partial<DiskSpaceOptions>, number, string, string]>([
    ['degradedBelowBytes', { degradedBelowBytes: 50 * MIB }, 50, 'healthy', 'degraded'],
    ['degradedBelowRatio', { degradedBelowRatio: 0.3 }, 300, 'healthy', 'degraded'],
    ['unhealthyBelowBytes', { unhealthyBelowBytes: 70 * MIB }, 70, 'degraded', 'unhealthy'],
    ['unhealthyBelowRatio', { unhealthyBelowRatio: 0.08 }, 80, 'degraded', 'unhealthy'],
    [
      'degradedBelowBytes and its ratio',
      { degradedBelowBytes: 200 * MIB, degradedBelowRatio: 0.3 },
      300,
      'healthy',
      'degraded',
    ],
    ['no limit of degraded', { degradedBelowRatio: 0 }, 10, 'healthy', 'unhealthy'],
    ['no limit of unhealthy', { unhealthyBelowBytes: 0 }, 100, 'healthy', 'degraded'],
  ])('%s: at the limit it holds, below it does not', async (_name, options, limit, at, below) => {
    expect((await withFree(limit, options)).status).toBe(at);
    expect((await withFree(limit - 1, options)).status).toBe(below);
  });

  it('one that was given replaces the default of its kind only', async () => {
    expect((await withFree(90, { degradedBelowBytes: 50 * MIB })).status).toBe('healthy');
    expect((await withFree(9, { degradedBelowBytes: 50 * MIB })).status).toBe('unhealthy');
    expect((await withFree(9, { unhealthyBelowRatio: 0.001 })).status).toBe('degraded');
  });
});

it('takes an object of a class, whose statfs is called on it', async () => {
  class Volume {
    readonly path = '/data';
    #free = 5;
    async statfs() {
      return { bsize: MIB, blocks: 1000, bavail: this.#free };
    }
  }
  expect((await runCheck(diskSpace(new Volume()))).status).toBe('unhealthy');
});

it.each([
  ['ENOENT', 'not_found'],
  ['EACCES', 'permission'],
  ['EIO', 'file_system'],
])('a file system that answers %s is unhealthy, reason %s', async (code, reason) => {
  const statfs = async () => {
    throw Object.assign(new Error(`${code}: no`), { code });
  };
  expect(await withFree(0, { statfs })).toMatchObject({
    status: 'unhealthy',
    message: `cannot read the free space of /data: ${code}: no`,
    reason,
  });
});

it.each([
  ['no path', {}],
  ['an empty path', { path: '' }],
  ['a path with a NUL', { path: 'a\0b' }],
  ['a negative size', { path: '/', degradedBelowBytes: -1 }],
  ['a size that is no number', { path: '/', unhealthyBelowBytes: '1GB' }],
  ['an endless size', { path: '/', unhealthyBelowBytes: Number.POSITIVE_INFINITY }],
  ['a share above 1', { path: '/', degradedBelowRatio: 10 }],
  ['a share that is no number', { path: '/', unhealthyBelowRatio: '0.5' }],
  ['sizes that cross', { path: '/', degradedBelowBytes: 5, unhealthyBelowBytes: 6 }],
  ['shares that cross', { path: '/', degradedBelowRatio: 0.1, unhealthyBelowRatio: 0.2 }],
  ['a statfs that is no function', { path: '/', statfs: {} }],
  ['no options', undefined],
])('refuses %s', (_name, options) => {
  expect(() => diskSpace(options as never)).toThrow(expect.objectContaining({ code: 'invalid_option' }));
});
