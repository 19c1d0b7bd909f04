// Stands in for an OpenClaw gateway: node stand-in.mjs PORT. Takes a while to come up, and shows a title of its own.
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';

process.title = 'openclaw-gateway';
const server = createServer((request, response) => {
  const found = request.url === '/health';
  response.writeHead(found ? 200 : 404, { 'content-type': 'application/json' });
  response.end(found ? '{"ok":true,"status":"live"}' : '{}');
});
setTimeout(() => server.listen(Number(process.argv[2]), '127.0.0.1', () => writeFileSync('reachable', '')), 500);
