import { defineConfig } from 'vitest/config';

const others = ['integration', 'package', 'examples', 'types', 'bench'].map((folder) => `test/${folder}/**`);

export default defineConfig({
  test: {
    // Type tests are no project: tsc compiles test/types/*.test-d.ts with the settings of everything else, and fails on
    // a directive that expects an error where none is.
    projects: [
      // Nothing in these waits for real time; the limit is for a machine that is busy with other things.
      { test: { name: 'unit', include: ['test/**/*.test.ts'], exclude: others, testTimeout: 20_000 } },
      {
        // What is published: reads dist/, so it needs a build.
        test: {
          name: 'package',
          include: ['test/package/**/*.test.ts'],
          globalSetup: 'test/package/support/install.ts',
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        // Runs every folder of examples/; they import the package by its name, so this needs a build too.
        test: { name: 'examples', include: ['test/examples/**/*.test.ts'], testTimeout: 60_000, hookTimeout: 60_000 },
      },
      {
        // Against real servers and processes, one file at a time: they share ports, memory and two cores.
        test: {
          name: 'integration',
          include: ['test/integration/**/*.test.ts'],
          testTimeout: 60_000,
          hookTimeout: 60_000,
          fileParallelism: false,
        },
      },
    ],
    coverage: {
      provider: 'v8',
      include: ['src/**'],
      reporter: [['text', { skipFull: true }], 'html', 'json-summary'],
      thresholds: {
        'src/{core,config,controller,engine,testing,wire}/**': {
          lines: 98,
          functions: 98,
          statements: 98,
          branches: 95,
        },
        // Adapters, presets and the command meet the world, and are proved against it in test/integration.
        lines: 87,
        functions: 84,
        statements: 87,
        branches: 87,
      },
    },
  },
});
