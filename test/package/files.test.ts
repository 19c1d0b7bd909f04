import { builtinModules } from 'node:module';
import { describe, expect, it } from 'vitest';
import { commands, readManifest, subpaths } from '../../.ci/subpaths.mjs';
import { graphOf, importsOf, installedFiles, resolveFrom } from './support/installed.js';

const files = installedFiles();
const declarations = files.filter((path) => /\.d\.c?ts$/.test(path));

/** What the declaration file of a JavaScript file is called by a relative import. */
const declared = (path: string) => path.replace(/\.(c?)js$/, '.d.$1ts');

describe('the published files', () => {
  it('are the build and the papers, and nothing else', () => {
    const papers = files.filter((path) => !path.startsWith('dist/'));
    expect(papers).toEqual(expect.arrayContaining(['CHANGELOG.md', 'LICENSE', 'THIRD-PARTY-NOTICES', 'package.json']));
    expect(
      papers.filter((path) => !/^(CHANGELOG\.md|LICENSE|README\.md|THIRD-PARTY-NOTICES|package\.json)$/.test(path)),
    ).toEqual([]);
    expect(files.filter((path) => path.startsWith('dist/') && !/\.(c?js|d\.c?ts)$/.test(path))).toEqual([]);
  });

  it('include everything that package.json points at', () => {
    expect(files).toEqual(expect.arrayContaining([...subpaths(), ...commands()].flatMap((entry) => entry.files)));
  });

  it('depend on nothing', () => {
    expect(readManifest()).not.toHaveProperty('dependencies');
  });
});

it('typesVersions leads old resolvers to the declarations of every subpath', () => {
  const { name, typesVersions } = readManifest();
  const expected = subpaths()
    .filter(({ specifier }) => specifier !== name)
    .map(({ specifier, entry }) => [specifier.slice(name.length + 1), [`./dist/${entry}.d.ts`]]);
  expect(typesVersions).toEqual({ '*': Object.fromEntries(expected) });
});

describe('the declarations', () => {
  it.each(declarations)('%s name files that exist, with extensions, and types of Node, but no package', (path) => {
    for (const specifier of importsOf(path)) {
      if (!specifier.startsWith('.')) expect(specifier).toMatch(/^node(:|$)/);
      else expect(files).toContain(declared(resolveFrom(path, specifier)));
    }
  });

  it.each(declarations)('%s show no type of zod', (path) => {
    expect(importsOf(path).filter((specifier) => specifier.includes('zod'))).toEqual([]);
  });
});

describe('the code', () => {
  const optional = Object.keys(readManifest().peerDependencies ?? {});
  const outside = (entry: string) =>
    [...new Set(graphOf(entry).flatMap((path) => importsOf(path)))].filter((specifier) => !specifier.startsWith('.'));

  it.each(['dist/index.js', 'dist/index.cjs'])(
    'of %s imports nothing, so that it runs where there is no Node',
    (entry) => {
      expect(outside(entry)).toEqual([]);
    },
  );

  it.each([...subpaths(), ...commands()].flatMap((entry) => entry.files.filter((path) => path.endsWith('js'))))(
    'of %s imports only Node and optional peers',
    (entry) => {
      const known = (specifier: string) =>
        specifier.startsWith('node:') || builtinModules.includes(specifier) || optional.includes(specifier);
      expect(outside(entry).filter((specifier) => !known(specifier))).toEqual([]);
    },
  );
});
