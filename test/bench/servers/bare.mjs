// The baseline: a constant with its Content-Length. `bare.mjs [BYTES] [AFTER_MS]`: a longer one, or one that comes later,
// for all who wait at once.
import { createServer } from 'node:http';
import { serve } from './serve.mjs';

const [bytes = 15, afterMs = 0] = process.argv.slice(2).map(Number);
const body = `{"status":"ok"${' '.repeat(bytes - 15)}}`;
const headers = { 'content-type': 'application/json', 'content-length': body.length };
const answer = (response) => response.writeHead(200, headers).end(body);
let waiting = [];
await serve(
  createServer((_request, response) => {
    if (afterMs === 0) answer(response);
    else if (waiting.push(response) === 1) {
      setTimeout(() => {
        const all = waiting;
        waiting = [];
        for (const each of all) answer(each);
      }, afterMs);
    }
  }),
);
