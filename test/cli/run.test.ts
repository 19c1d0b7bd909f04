import { expect, it } from 'vitest';
import { run } from '../../src/cli/run.js';

it('exits with 0 and the help where it is asked for', async () => {
  const { exitCode, output, complaint } = await run(['--help']);
  expect([exitCode, complaint]).toEqual([0, undefined]);
  expect(output).toContain('Usage: health-controller probe <url>');
});

it('exits with 2 and one line for wrong usage', async () => {
  expect(await run(['prob'])).toEqual({
    exitCode: 2,
    complaint: expect.stringMatching(/^health-controller: expected the command "probe", got "prob"\. Usage: [^\n]+$/),
  });
});
