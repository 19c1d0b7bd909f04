import { defineConfig } from 'tsup';
import { commands, subpaths } from './.ci/subpaths.mjs';

export default defineConfig({
  entry: Object.fromEntries([...subpaths(), ...commands()].map(({ entry, source }) => [entry, source])),
  format: ['esm', 'cjs'],
  target: ['node20', 'es2022'],
  // tsup still sets options that TypeScript 6 calls deprecated.
  dts: { compilerOptions: { ignoreDeprecations: '6.0' } },
  // Without it each CommonJS entry gets its own copy of the core, its own error class included.
  splitting: true,
  treeshake: true,
  clean: true,
  // Bundled, so that an installed package has nothing to resolve and CommonJS works although p-timeout is ESM only.
  noExternal: [/^zod/, 'eventemitter3', 'p-timeout'],
});
