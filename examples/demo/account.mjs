// What the demo prints, and the requests that it makes to see for itself.
import { get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

const begun = performance.now();

/** A step of the account. @param {string} text */
export function tell(text) {
  console.log(`\n${text}`);
}

/** What happened, with the time since the demo began. @param {string} text */
export function note(text) {
  const seconds = ((performance.now() - begun) / 1000).toFixed(2);
  console.log(`  ${seconds.padStart(5)} s  ${text}`);
}

/**
 * A real request, on a connection of its own.
 * @param {string} url
 * @returns {Promise<{ status: number, body: string }>}
 */
export function ask(url) {
  return new Promise((resolve, reject) => {
    get(url, { agent: false }, async (answer) => {
      const pieces = await answer.toArray();
      resolve({ status: answer.statusCode ?? 0, body: Buffer.concat(pieces).toString() });
    }).on('error', reject);
  });
}

/** Asks and says what came. @param {string} url */
export async function show(url) {
  const { status, body } = await ask(url);
  note(`GET ${url} -> ${status} ${body.trim().split('\n').join('\n             ')}`);
  return status;
}

/**
 * Asks until the answer has this status. @param {string} url @param {number} status
 */
export async function until(url, status) {
  const deadline = performance.now() + 5000;
  while ((await ask(url)).status !== status) {
    if (performance.now() > deadline) throw new Error(`${url} did not answer ${status} within 5 seconds`);
    await sleep(20);
  }
}
