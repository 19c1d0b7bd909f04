import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const ALLOWED = new URL('../../../.ci/allowed-absent', import.meta.url);

/**
 * Whether a real part that a test file asks for is there:
 *
 *     const redis = await needs('redis-server', () => onPath('redis-server'));
 *     describe.skipIf(!redis)('against a real Redis', () => …)
 *
 * Absent, it says so in one line and the suite is skipped. With CI=true it throws instead, which fails the file,
 * unless .ci/allowed-absent lists the name. A `present` that throws counts as absent.
 */
export async function needs(name: string, present: () => boolean | Promise<boolean>): Promise<boolean> {
  let why = 'not found';
  try {
    if (await present()) return true;
  } catch (error) {
    why = String(error);
  }
  const allowed = allowedAbsent(readFileSync(ALLOWED, 'utf8')).get(name);
  if (process.env.CI === 'true' && allowed === undefined) {
    throw new Error(`integration: ${name} is missing: ${why}. Install it in .ci/run or list it in .ci/allowed-absent`);
  }
  console.log(`integration: ${name} is missing: ${allowed ?? why}`);
  return false;
}

/** The names and reasons of a list of `name: reason` lines. Empty lines and those that begin with # say nothing. */
export function allowedAbsent(list: string): Map<string, string> {
  const allowed = new Map<string, string>();
  for (const line of list.split('\n').map((text) => text.trim())) {
    if (line === '' || line.startsWith('#')) continue;
    const [, name, reason] = /^([^:]+): *(\S.*)$/.exec(line) ?? [];
    if (name === undefined || reason === undefined) throw new Error(`.ci/allowed-absent: no "name: reason": ${line}`);
    allowed.set(name.trim(), reason);
  }
  return allowed;
}

/** Whether a command is to be found on PATH. */
export function onPath(command: string): boolean {
  return spawnSync('sh', ['-c', 'command -v "$0"', command], { stdio: 'ignore' }).status === 0;
}
