// @ts-check
// The one reading of what the package exports: package.json. A subpath added there is built, documented and tested.
import { readFileSync } from 'node:fs';

/**
 * @typedef {object} Manifest
 * @property {string} name
 * @property {Record<string, string | { import: { types: string, default: string }, require: { types: string, default: string } }>} exports
 * @property {Record<string, string>} [bin]
 * @property {Record<string, string>} [peerDependencies]
 * @property {Record<string, Record<string, string[]>>} typesVersions
 */

/**
 * @typedef {object} Subpath
 * @property {string} specifier what a user imports: `health-controller/http`
 * @property {string} entry its name without folder and extension: `http/index`
 * @property {string} source `src/http/index.ts`
 * @property {string[]} files what a build makes for it, relative to the root
 */

/** @returns {Manifest} */
export function readManifest() {
  return JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
}

/** @returns {Subpath[]} every subpath that is code, in the order of package.json */
export function subpaths(manifest = readManifest()) {
  return Object.entries(manifest.exports).flatMap(([key, target]) => {
    if (typeof target === 'string') return [];
    const files = [target.import, target.require].flatMap((condition) => [condition.types, condition.default]);
    return [subpath(manifest.name + key.slice(1), target.import.default, files)];
  });
}

/** @returns {Subpath[]} every command of the package */
export function commands(manifest = readManifest()) {
  return Object.entries(manifest.bin ?? {}).map(([name, file]) => subpath(name, file, [file]));
}

/**
 * @param {string} specifier
 * @param {string} file
 * @param {string[]} files
 * @returns {Subpath}
 */
function subpath(specifier, file, files) {
  const entry = /^(?:\.\/)?dist\/(.+)\.c?js$/.exec(file)?.[1];
  if (entry === undefined) throw new Error(`package.json: ${specifier} must point into dist/, got ${file}`);
  return { specifier, entry, source: `src/${entry}.ts`, files: files.map((path) => path.replace(/^\.\//, '')) };
}
