import { type CheckResult, unhealthy } from '../index.js';
import { type Expecting, printable, where } from '../kit.js';

export const filePath = (): Expecting =>
  where(
    (value) => typeof value === 'string' && value !== '' && !value.includes('\0'),
    'a path: a string that is not empty and has no NUL in it',
  );

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'not_found',
  ENOTDIR: 'not_found',
  EACCES: 'permission',
  EPERM: 'permission',
  EROFS: 'read_only',
  ENOSPC: 'disk_full',
  EDQUOT: 'disk_full',
};

/** What a file operation that failed says. */
export function fileFault(operation: string, error: unknown): CheckResult {
  const code = (error as { code?: unknown } | null | undefined)?.code;
  const reason = typeof code === 'string' ? REASONS[code] : undefined;
  return unhealthy(`${operation}: ${printable(error)}`, undefined, reason ?? 'file_system');
}
