import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const examples = new URL('../../examples/', import.meta.url);
const here = new URL('./', import.meta.url);

it('every example is run by a test of this folder, which names its path', () => {
  const names = existsSync(examples)
    ? readdirSync(examples, { withFileTypes: true })
        .filter((entry) => entry.isDirectory() || /\.[cm]?[jt]s$/.test(entry.name))
        .map((entry) => `examples/${entry.name}${entry.isDirectory() ? '/' : ''}`)
    : [];
  const tests = readdirSync(here)
    .filter((name) => name.endsWith('.test.ts') && !fileURLToPath(import.meta.url).endsWith(name))
    .map((name) => readFileSync(new URL(name, here), 'utf8'));
  expect(names.filter((name) => !tests.some((text) => text.includes(name)))).toEqual([]);
});
