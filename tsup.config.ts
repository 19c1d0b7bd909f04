import { defineConfig, type Options } from 'tsup';
import { commands, subpaths } from './.ci/subpaths.mjs';

const entries = (found: ReturnType<typeof subpaths>) =>
  Object.fromEntries(found.map(({ entry, source }) => [entry, source]));

const every: Options = {
  target: ['node20', 'es2022'],
  treeshake: true,
  // Bundled, so that an installed package has nothing to resolve and CommonJS works although p-timeout is ESM only.
  noExternal: [/^zod/, 'eventemitter3', 'p-timeout'],
};

export default defineConfig([
  {
    ...every,
    entry: entries(subpaths()),
    format: ['esm', 'cjs'],
    // tsup still sets options that TypeScript 6 calls deprecated.
    dts: { compilerOptions: { ignoreDeprecations: '6.0' } },
    // Without it each CommonJS entry gets its own copy of the core, its own error class included.
    splitting: true,
    // But for what the other build writes at the same time.
    clean: ['!cli/**'],
  },
  // A command starts anew for every probe: one small file of its own, without the chunks that the subpaths share.
  { ...every, entry: entries(commands()), format: ['esm'], splitting: false },
]);
