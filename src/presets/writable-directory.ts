import { type FileHandle, open, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { type HealthCheck, healthy } from '../index.js';
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
/** Processes that share a directory rarely share a name, and what a killed one leaves behind is bounded. */
const NAMES = 100;
const TRIES = 5;

/**
 * A check that a directory can be written to: each run creates a small file in it, writes it through to the disk and
 * removes it, also when the run has timed out. The file is called `.health-controller-NN`; there are 100 such names,
 * one that a killed process left behind is replaced, and a link in its place is never followed.
 *
 * Reasons: `not_found`, `permission`, `read_only`, `disk_full`, `file_system`.
 *
 * As a check: name `writable-directory`, `intervalMs` 30000, else the defaults of checks.
 * @throws HealthControllerError `invalid_option`
 */
export function writableDirectory(options: WritableDirectoryOptions): HealthCheck {
  return writableDirectoryIn({ open, unlink }, options);
}

/** The same on other files, for tests. */
export function writableDirectoryIn(files: Files, options: WritableDirectoryOptions): HealthCheck {
  const { own, ofCheck } = readPreset<WritableDirectoryOptions>('writableDirectory()', { path: filePath() }, options, [
    'path',
  ]);
  const file = join(own.path, `.health-controller-${String(process.pid % NAMES).padStart(2, '0')}`);
  return presetCheck({ name: 'writable-directory', intervalMs: 30_000 }, ofCheck, () => async () => {
    try {
      await writeAndRemove(files, file);
    } catch (error) {
      return fileFault(`cannot write to ${own.path}`, error);
    }
    return healthy();
  });
}

async function writeAndRemove(files: Files, file: string): Promise<void> {
  const handle = await create(files, file);
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
async function create(files: Files, file: string): ReturnType<Files['open']> {
  for (let tries = 1; ; tries++) {
    try {
      return await files.open(file, 'wx', 0o600);
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
