// A stand-in for a worker: a process with a gateway that takes a second to start, and says how it is at /api/health.
// GET /crash ends it, as a fault would.
import { createServer } from 'node:http';
import { Gateway } from 'health-controller/presets/gateway';

const [port = '0'] = process.argv.slice(2);
const beganAt = performance.now();
const isUp = () => performance.now() - beganAt > 1000;

const gateway = new Gateway({
  fetch: async () => new Response(JSON.stringify({ ok: isUp() }), { status: isUp() ? 200 : 503 }),
  processes: () => [{ id: String(process.pid), command: 'openclaw-gateway', status: 'running' }],
});
const handle = gateway.handler();

const server = createServer((request, response) => {
  if (handle(request, response)) return;
  if (request.url === '/crash') process.kill(process.pid, 'SIGKILL');
  response.writeHead(404).end();
});
server.listen(Number(port), '127.0.0.1');
process.once('SIGTERM', () => {
  server.close();
  server.closeAllConnections();
});

// Nobody is left to stop it where the control plane was killed.
const parent = process.ppid;
setInterval(() => process.ppid !== parent && process.kill(process.pid, 'SIGTERM'), 1000).unref();
