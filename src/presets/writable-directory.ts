import { type FileHandle, open, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { type HealthCheck, healthy, type Random } from '../index.js';
import { systemRandom } from '../kit.js';
import { fileFault, filePath } from './file-system.js';
import { type PresetCheckOptions, presetCheck, readPreset } from './preset-check.js';

/** Options of {@link writableDirectory}. */
export interface WritableDirectoryOptions extends PresetCheckOptions {
  /** The directory. It is not created. */
  readonly path: string;
}

/** The part of `node:fs/promises` that is used. */
export interface Files {
  open(path: string, flags: string, mode: number): Promise<Pick<FileHandle, 'writeFile' | 'datasync' | 'close'>>;
  unlink(path: string): Promise<void>;
}

const CONTENT = 'health-controller writes this file to see whether it can, and removes it.\n';
/** Few enough that what killed processes leave behind stays little; many enough that two rarely meet. */
const NAMES = 100;
const TRIES = 10;

/**
 * A check that a directory can be written to: each run creates a small file in it, writes it through to the disk and
 * removes it, also when the run has timed out. The file is called `.health-controller-NN`, with one of 100 numbers; what
 * a killed process left behind under such a name is removed, and a link in its place is never followed.
 *
 * Reasons: `not_found`, `permission`, `read_only`, `disk_full`, `file_system`.
 *
 * As a check: name `writable-directory`, `intervalMs` 30000, else the defaults of checks.
 * @throws HealthControllerError `invalid_option`
 */
export function writableDirectory(options: WritableDirectoryOptions): HealthCheck {
  return writableDirectoryIn({ open, unlink }, systemRandom, options);
}

/** The same on other files and by another chance, for tests. */
export function writableDirectoryIn(files: Files, random: Random, options: WritableDirectoryOptions): HealthCheck {
  const { own, ofCheck } = readPreset<WritableDirectoryOptions>('writableDirectory()', { path: filePath() }, options, [
    'path',
  ]);
  const { path } = own;
  const newName = (): string => join(path, `.health-controller-${Math.floor(random() * NAMES)}`);
  return presetCheck({ name: 'writable-directory', intervalMs: 30_000 }, ofCheck, () => async () => {
    try {
      await writeAndRemove(files, newName);
    } catch (error) {
      return fileFault(`cannot write to ${path}`, error);
    }
    return healthy();
  });
}

async function writeAndRemove(files: Files, newName: () => string): Promise<void> {
  const { file, handle } = await create(files, newName);
  try {
    // Some file systems accept a write and refuse it only when it must reach the disk, or at the close.
    try {
      await handle.writeFile(CONTENT);
      await handle.datasync();
    } finally {
      await handle.close();
    }
  } finally {
    await remove(files, file);
  }
}

/** Only ever a new file: what stands under the name may be a link to something dear. */
async function create(files: Files, newName: () => string) {
  for (let tries = 1; ; tries++) {
    const file = newName();
    try {
      return { file, handle: await files.open(file, 'wx', 0o600) };
    } catch (error) {
      if (!hasCode(error, 'EEXIST') || tries === TRIES) throw error;
      await remove(files, file);
    }
  }
}

/** Another process may have taken it for a leftover. */
async function remove(files: Files, file: string): Promise<void> {
  try {
    await files.unlink(file);
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error;
  }
}

function hasCode(error: unknown, code: string): boolean {
  return (error as { code?: unknown } | null | undefined)?.code === code;
}
