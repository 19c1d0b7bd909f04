#!/usr/bin/env node
import { run } from './run.js';

// The exit code is set, and nothing is left that would keep the process alive: output is never cut off.
run(process.argv.slice(2)).then(({ exitCode, output, complaint }) => {
  process.exitCode = exitCode;
  if (output !== undefined) process.stdout.write(`${output}\n`);
  if (complaint !== undefined) process.stderr.write(`${complaint}\n`);
});
