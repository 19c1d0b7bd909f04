import { defineConfig } from 'vitest/config';

// Stryker runs every project of the config that it is given. These are the tests whose subject is mutated, without the
// ones that read the sources as text.
export default defineConfig({
  test: { include: ['test/{core,ports,config,engine,controller}/**/*.test.ts'] },
});
