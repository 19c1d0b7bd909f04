import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { inject } from 'vitest';

/** A file of the installed package, its path relative to the package's folder. */
export function installedPath(path: string): string {
  return join(inject('consumer'), 'node_modules/health-controller', path);
}

function readInstalled(path: string): string {
  return readFileSync(installedPath(path), 'utf8');
}

/** Every file of the package, with `/` as the separator. */
export function installedFiles(): string[] {
  const found = readdirSync(installedPath('.'), { recursive: true, withFileTypes: true, encoding: 'utf8' });
  const root = installedPath('.');
  return found
    .filter((entry) => entry.isFile())
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(root.length + 1)
        .replaceAll('\\', '/'),
    )
    .sort();
}

/** What a JavaScript or declaration file imports, in whatever form. */
export function importsOf(path: string): string[] {
  const { importedFiles, typeReferenceDirectives } = ts.preProcessFile(readInstalled(path), true, true);
  return [...importedFiles, ...typeReferenceDirectives].map(({ fileName }) => fileName);
}

/** A file and all that it reaches by relative imports. */
export function graphOf(entry: string): string[] {
  const seen = new Set<string>();
  const visit = (path: string): void => {
    if (seen.has(path)) return;
    seen.add(path);
    for (const specifier of importsOf(path)) if (specifier.startsWith('.')) visit(resolveFrom(path, specifier));
  };
  visit(entry);
  return [...seen];
}

export function resolveFrom(path: string, specifier: string): string {
  return join(path, '..', specifier).replaceAll('\\', '/');
}
