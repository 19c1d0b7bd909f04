import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createContext, runInContext } from 'node:vm';
import { build } from 'esbuild';
import ts from 'typescript';
import { describe, expect, inject, it } from 'vitest';
import { subpaths } from '../../.ci/subpaths.mjs';

const all = subpaths();

describe('esbuild', () => {
  const bundle = async (contents: string, platform: 'neutral' | 'node', format: 'esm' | 'cjs' | 'iife') => {
    const { outputFiles, warnings, errors } = await build({
      stdin: { contents, resolveDir: inject('consumer') },
      bundle: true,
      write: false,
      logLevel: 'silent',
      platform,
      format,
      globalName: 'bundled',
      conditions: ['import'],
    });
    expect([...warnings, ...errors]).toEqual([]);
    return outputFiles[0]?.text ?? '';
  };

  it.each(all)('bundles $specifier for Node', async ({ specifier }) => {
    expect(await bundle(`export * from '${specifier}';`, 'node', 'esm')).not.toBe('');
    expect(await bundle(`module.exports = require('${specifier}');`, 'node', 'cjs')).not.toBe('');
  });

  it('bundles the core for no platform at all, and it makes a controller where only the language is', async () => {
    const text = await bundle("export * from 'health-controller';", 'neutral', 'iife');
    const context = createContext({ AbortController, AbortSignal });
    expect(runInContext(`${text}; new bundled.Controller().state`, context)).toBe('never_started');
  });
});

describe('tsc, with skipLibCheck off,', () => {
  const text = `
    ${all.map(({ specifier }, i) => `import * as s${i} from '${specifier}';`).join('\n')}
    type IsAny<T> = 0 extends 1 & T ? true : false;
    export const typed: readonly IsAny<${all.map((_, i) => `typeof s${i}`).join(' & ')}>[] = [false];
    export const controller: s0.Controller = new s0.Controller({ drainDelayMs: 5 });
    // @ts-expect-error an option must exist
    new s0.Controller({ noSuchOption: true });
  `;
  const core = `import { Controller } from 'health-controller'; export const controller = new Controller();`;

  function complaints(name: string, files: Record<string, string>, options: ts.CompilerOptions): string[] {
    const folder = join(inject('consumer'), name);
    mkdirSync(folder, { recursive: true });
    const paths = Object.entries(files).map(([file, contents]) => {
      writeFileSync(join(folder, file), contents);
      return join(folder, file);
    });
    const program = ts.createProgram(paths, {
      strict: true,
      noEmit: true,
      skipLibCheck: false,
      target: ts.ScriptTarget.ES2022,
      lib: ['lib.es2022.d.ts'],
      types: ['node'],
      typeRoots: [join(inject('consumer'), 'node_modules/@types')],
      ...options,
    });
    // Those of the language and of Node are not ours, and to check them takes most of the time.
    const ours = program
      .getSourceFiles()
      .filter(({ fileName }) => !/\/(typescript|@types|undici-types)\//.test(fileName));
    expect(ours.map(({ fileName }) => fileName)).toContainEqual(
      expect.stringMatching(/health-controller\/dist\/index\.d\.c?ts$/),
    );
    return [
      ...program.getOptionsDiagnostics(),
      ...program.getGlobalDiagnostics(),
      ...ours.flatMap((file) => [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)]),
    ].map(({ file, messageText }) => {
      return `${file?.fileName ?? ''}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`;
    });
  }

  it('accepts every subpath under node16, from ESM and CommonJS', () => {
    const options = { module: ts.ModuleKind.Node16, moduleResolution: ts.ModuleResolutionKind.Node16 };
    expect(complaints('node16', { 'a.mts': text, 'b.cts': text }, options)).toEqual([]);
  });

  it('accepts every subpath under nodenext, from ESM and CommonJS', () => {
    const options = { module: ts.ModuleKind.NodeNext, moduleResolution: ts.ModuleResolutionKind.NodeNext };
    expect(complaints('nodenext', { 'a.mts': text, 'b.cts': text }, options)).toEqual([]);
  });

  it('accepts every subpath under bundler', () => {
    const options = { module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler };
    expect(complaints('bundler', { 'a.ts': text }, options)).toEqual([]);
  });

  it('accepts the core where there are no types of Node, but those of a browser', () => {
    const options = { module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler };
    const browser = { types: [], lib: ['lib.es2022.d.ts', 'lib.dom.d.ts'] };
    expect(complaints('browser', { 'a.ts': core }, { ...options, ...browser })).toEqual([]);
  });
});
