import { defineConfig } from 'vitest/config';

// Stryker runs every project of the config that it is given. These are the unit tests, without the one that reads the
// sources as text: there it finds the mutants.
const others = ['integration', 'package', 'examples', 'types', 'bench'].map((folder) => `test/${folder}/**`);

export default defineConfig({
  test: { include: ['test/**/*.test.ts'], exclude: [...others, 'test/boundaries.test.ts'] },
});
