import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { subpaths } from '../../.ci/subpaths.mjs';
import { installedPath } from './support/installed.js';
import { type Format, formats, runScript } from './support/script.js';

interface Names {
  readonly values: string[];
  readonly types: string[];
}

function declaredNames(path: string): Names {
  const program = ts.createProgram([path], {
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    // The declarations are read for their names only.
    noLib: true,
    types: [],
  });
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(path);
  const module_ = source && checker.getSymbolAtLocation(source);
  if (module_ === undefined) throw new Error(`${path} is no module`);
  const exported = checker.getExportsOfModule(module_).map((symbol) => {
    const target = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
    return { name: symbol.name, isValue: (target.flags & ts.SymbolFlags.Value) !== 0 };
  });
  const names = (isValue: boolean) =>
    exported
      .filter((found) => found.isValue === isValue)
      .map(({ name }) => name)
      .sort();
  return { values: names(true), types: names(false) };
}

const runtimeNames = (format: Format, specifier: string) =>
  runScript(format, `return Object.keys(await load('${specifier}')).sort();`);

describe.each(subpaths())('$specifier', ({ specifier, entry }) => {
  const names = () => declaredNames(installedPath(`dist/${entry}.d.ts`));

  it('exports what its snapshot says', async () => {
    const { values, types } = names();
    const text = [...values.map((name) => `value ${name}`), ...types.map((name) => `type  ${name}`)].join('\n');
    await expect(`${text}\n`).toMatchFileSnapshot(`exports/${entry.replaceAll('/', '.')}.txt`);
  });

  it.each(formats)('has in %s the values that its declarations promise', async (format) => {
    expect(await runtimeNames(format, specifier)).toEqual(names().values);
  });

  it('declares the same for CommonJS as for ESM', () => {
    expect(declaredNames(installedPath(`dist/${entry}.d.cts`))).toEqual(names());
  });
});
