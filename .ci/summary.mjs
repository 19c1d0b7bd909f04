// @ts-check
// Sums the reports that the vitest runs wrote into .cache/reports, as one plain line at the very end.
import { readFileSync } from 'node:fs';

const folder = new URL('../.cache/reports/', import.meta.url);

/**
 * @typedef {object} Report
 * @property {number} numPassedTests
 * @property {number} numFailedTests
 * @property {number} numPendingTests
 * @property {number} numTodoTests
 * @property {{ status: string, name: string, message: string, assertionResults: { status: string }[] }[]} testResults
 */

let passed = 0;
let failed = 0;
let skipped = 0;
for (const name of process.argv.slice(2)) {
  /** @type {Report} */
  let report;
  try {
    report = JSON.parse(readFileSync(new URL(`${name}.json`, folder), 'utf8'));
  } catch {
    console.log(`${name}: wrote no report`);
    failed += 1;
    continue;
  }
  passed += report.numPassedTests;
  failed += report.numFailedTests;
  skipped += report.numPendingTests + report.numTodoTests;
  for (const file of report.testResults) {
    // A file that could not be loaded has no test that could have failed.
    if (file.status !== 'failed' || file.assertionResults.some(({ status }) => status === 'failed')) continue;
    console.log(`${name}: ${file.name}: ${file.message.split('\n')[0]}`);
    failed += 1;
  }
}
console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
process.exitCode = failed > 0 || passed === 0 ? 1 : 0;
