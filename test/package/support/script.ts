import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inject } from 'vitest';

export type Format = 'esm' | 'cjs';

export const formats: readonly Format[] = ['esm', 'cjs'];

let scripts = 0;

/**
 * Runs the body of an async function in a process of its own, in the folder that has the package, and returns what it
 * returned. `load(specifier)` is `import()` or `require()`, `package_` the package's own name.
 */
export async function runScript(format: Format, body: string): Promise<unknown> {
  const load = format === 'esm' ? '(name) => import(name)' : 'require';
  const prelude = format === 'esm' ? "import fs from 'node:fs';" : "const fs = require('node:fs');";
  // The prelude keeps what it needs: the body may break every global.
  const text = `${prelude}
    const write = (value) => fs.writeSync(1, JSON.stringify(value));
    (async (load) => {${body}})(${load}).then(
      (value) => write({ value: value ?? null }),
      (error) => { write({ error: String(error?.stack ?? error) }); },
    );`;
  const file = join(inject('consumer'), `script-${process.pid}-${scripts++}.${format === 'esm' ? 'mjs' : 'cjs'}`);
  writeFileSync(file, text);
  const child = spawn(process.execPath, [file], {
    cwd: inject('consumer'),
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 20_000,
  });
  let out = '';
  let err = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    out += chunk;
  });
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    err += chunk;
  });
  const code = await new Promise((resolve, reject) => child.once('close', resolve).once('error', reject));
  if (code !== 0 || err !== '') throw new Error(`the script ended with ${code}: ${out}${err}`);
  const result = JSON.parse(out) as { value?: unknown; error?: string };
  if (result.error !== undefined) throw new Error(result.error);
  return result.value;
}
