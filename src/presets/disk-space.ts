import { statfs as systemStatfs } from 'node:fs/promises';
import { degraded, type HealthCheck, healthy, unhealthy } from '../index.js';
import { callable, invalidOption, share, where } from '../kit.js';
import { fileFault, filePath } from './file-system.js';
import { type PresetCheckOptions, presetCheck, readPreset } from './preset-check.js';

/** What {@link diskSpace} reads of a file system: sizes in blocks of `bsize` bytes, as `statfs` gives them. */
export interface FileSystemSize {
  readonly bsize: number;
  /** All of it. */
  readonly blocks: number;
  /** Free for users who are not root. */
  readonly bavail: number;
}

/** Options of {@link diskSpace}. */
export interface DiskSpaceOptions extends PresetCheckOptions {
  /** Any path on the file system in question; it must exist. */
  readonly path: string;
  /** Degraded when fewer bytes are free. 0: never. */
  readonly degradedBelowBytes?: number | undefined;
  /**
   * Degraded when a smaller share of the whole is free, 0 to 1. 0: never.
   * @defaultValue 0.1 where `degradedBelowBytes` is absent too
   */
  readonly degradedBelowRatio?: number | undefined;
  /**
   * Unhealthy when fewer bytes are free. 0: never.
   * @defaultValue 10485760, 10 MiB, where `unhealthyBelowRatio` is absent too
   */
  readonly unhealthyBelowBytes?: number | undefined;
  /** Unhealthy when a smaller share of the whole is free, 0 to 1. 0: never. */
  readonly unhealthyBelowRatio?: number | undefined;
  /** Absent: `statfs` of `node:fs/promises`. */
  readonly statfs?: ((path: string) => Promise<FileSystemSize>) | undefined;
}

const AT = 'diskSpace()';

const size = () => where((value) => Number.isFinite(value) && Number(value) >= 0, 'a number of bytes, 0 or more');

const ownShape = () => ({
  path: filePath(),
  degradedBelowBytes: size(),
  degradedBelowRatio: share(),
  unhealthyBelowBytes: size(),
  unhealthyBelowRatio: share(),
  statfs: callable(),
});

/**
 * A check of the space that is left on a file system for users who are not root.
 *
 * `data`: `path`, `freeBytes`, `totalBytes`. Reasons: `disk_space`; `not_found`, `permission`, `file_system` where it
 * could not be looked at. A network file system that hangs is bounded by the timeout of the check.
 *
 * As a check: name `disk-space`, `intervalMs` 30000, else the defaults of checks.
 * @throws HealthControllerError `invalid_option`
 */
export function diskSpace(options: DiskSpaceOptions): HealthCheck {
  const { own, ofCheck } = readPreset<DiskSpaceOptions>(AT, ownShape(), options, ['path']);
  const { path } = own;
  const statfs = own.statfs?.bind(options) ?? systemStatfs;
  refuseCrossed('unhealthyBelowBytes', own.unhealthyBelowBytes, own.degradedBelowBytes);
  refuseCrossed('unhealthyBelowRatio', own.unhealthyBelowRatio, own.degradedBelowRatio);
  const degradedBelow = limitsOf(own.degradedBelowBytes, own.degradedBelowRatio, { bytes: 0, ratio: 0.1 });
  const unhealthyBelow = limitsOf(own.unhealthyBelowBytes, own.unhealthyBelowRatio, { bytes: 10 * MIB, ratio: 0 });
  return presetCheck({ name: 'disk-space', intervalMs: 30_000 }, ofCheck, () => async () => {
    let space: Space;
    try {
      space = spaceOf(await statfs(path));
    } catch (error) {
      return fileFault(`cannot read the free space of ${path}`, error);
    }
    const data = { path, ...space };
    const judge = isBelow(space, unhealthyBelow) ? unhealthy : isBelow(space, degradedBelow) ? degraded : undefined;
    if (judge === undefined) return healthy(undefined, data);
    return judge(`${inWords(space.freeBytes)} of ${inWords(space.totalBytes)} are free on ${path}`, data, 'disk_space');
  });
}

/** At least so much must be free, by both. */
interface Limits {
  readonly bytes: number;
  readonly ratio: number;
}

interface Space {
  readonly freeBytes: number;
  readonly totalBytes: number;
}

const MIB = 1024 * 1024;

function limitsOf(bytes: number | undefined, ratio: number | undefined, otherwise: Limits): Limits {
  return bytes === undefined && ratio === undefined ? otherwise : { bytes: bytes ?? 0, ratio: ratio ?? 0 };
}

function refuseCrossed(name: string, unhealthyBelow: number | undefined, degradedBelow: number | undefined): void {
  if (unhealthyBelow === undefined || degradedBelow === undefined || unhealthyBelow <= degradedBelow) return;
  throw invalidOption(
    `${AT}: option "${name}"`,
    `no more than the limit of degraded, ${degradedBelow}`,
    unhealthyBelow,
  );
}

function spaceOf({ bsize, blocks, bavail }: FileSystemSize): Space {
  return { freeBytes: bavail * bsize, totalBytes: blocks * bsize };
}

function isBelow({ freeBytes, totalBytes }: Space, { bytes, ratio }: Limits): boolean {
  return freeBytes < bytes || freeBytes < ratio * totalBytes;
}

function inWords(bytes: number): string {
  return bytes < 1024 * MIB ? `${(bytes / MIB).toFixed(1)} MiB` : `${(bytes / MIB / 1024).toFixed(1)} GiB`;
}
