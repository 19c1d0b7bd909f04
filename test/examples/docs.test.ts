import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';

// Every fenced block of README.md and docs/ that is marked `ts` is a whole program: it is compiled, and run until it
// ends by itself with exit code 0. `ts fragment` marks a part that only makes sense inside another program.

const root = fileURLToPath(new URL('../../', import.meta.url));
// Below the package, so that the programs import it by its name.
const folder = `${root}.cache/docs-programs/`;
const run = promisify(execFile);

interface Program {
  readonly place: string;
  readonly file: string;
  readonly code: string;
}

function pages(): string[] {
  const inDocs = readdirSync(`${root}docs`, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md') && !name.startsWith('api/'))
    .map((name) => `docs/${name}`);
  return ['README.md', ...inDocs.sort()];
}

function programsOf(page: string): Program[] {
  const programs: Program[] = [];
  const lines = readFileSync(`${root}${page}`, 'utf8').split('\n');
  let from = -1;
  for (const [index, line] of lines.entries()) {
    if (from < 0 && line.trim() === '```ts') from = index + 1;
    else if (from >= 0 && line.trim() === '```') {
      const file = `${page.replaceAll(/[^a-z0-9]+/gi, '-')}-${from}.ts`;
      programs.push({ place: `${page}:${from}`, file, code: lines.slice(from, index).join('\n') });
      from = -1;
    }
  }
  return programs;
}

const programs = pages().flatMap(programsOf);

/** Links of a page to files that are not there. */
function deadLinks(page: string): string[] {
  const text = readFileSync(`${root}${page}`, 'utf8');
  const targets = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target.replace(/#.*$/, ''));
  const local = targets.filter((target) => target !== '' && !/^[a-z]+:/.test(target));
  const folderOf = page.includes('/') ? page.slice(0, page.lastIndexOf('/') + 1) : '';
  return local.filter((target) => !existsSync(`${root}${folderOf}${target}`)).map((target) => `${page}: ${target}`);
}

it('links of the documentation lead somewhere', () => {
  expect(pages().flatMap(deadLinks)).toEqual([]);
});

describe('programs in the documentation', () => {
  beforeAll(() => {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    for (const { file, code } of programs) writeFileSync(`${folder}${file}`, `${code}\nexport {};\n`);
    const compilerOptions = { noUnusedLocals: false, noUnusedParameters: false, types: ['node'] };
    const config = { extends: '../../tsconfig.json', compilerOptions, include: ['./*.ts'], exclude: [] };
    writeFileSync(`${folder}tsconfig.json`, JSON.stringify(config));
  });

  it('there are some', () => {
    expect(programs.length).toBeGreaterThan(0);
  });

  it('all compile', async () => {
    const tsc = `${root}node_modules/typescript/bin/tsc`;
    const result = await run(process.execPath, [tsc, '-p', folder], { cwd: root }).catch((error: unknown) => error);
    expect((result as { stdout: string }).stdout).toBe('');
  }, 120_000);

  it.each(programs)('$place runs and ends by itself', async ({ file }) => {
    await run(process.execPath, ['--import', 'tsx', `${folder}${file}`], { cwd: folder, timeout: 30_000 });
  });
});
