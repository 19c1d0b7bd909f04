// @ts-check
import { commands, subpaths } from './.ci/subpaths.mjs';

/** @type {import('knip').KnipConfig} */
const config = {
  entry: [
    ...[...subpaths(), ...commands()].map(({ source }) => source),
    '.ci/*.mjs',
    '.ci/*.config.ts',
    // Started as processes of their own.
    'test/**/*.mjs',
    'test/types/*.test-d.ts',
    'examples/**/*.mjs',
  ],
  project: ['src/**', 'test/**', 'examples/**', '.ci/**'],
  // A type that its own file uses is often part of the signature of what is exported.
  ignoreExportsUsedInFile: { interface: true, type: true },
  // Commands of .ci/check.mjs.
  ignoreDependencies: ['@arethetypeswrong/cli', 'publint'],
  // These have dependencies of their own, in a package.json of their own.
  ignoreIssues: { 'examples/**': ['unlisted', 'duplicates'], 'test/bench/peers/**': ['unlisted', 'unresolved'] },
  // Tests call tools of the system, after they have looked for them.
  exclude: ['binaries'],
};

export default config;
