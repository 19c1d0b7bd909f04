// Stand-in instances for test/bench/monitor.mjs: one server that answers every path with a snapshot, over HTTP, at every
// address of 127.0.0.0/8.
import { createServer } from 'node:http';

const probe = { ok: true, status: 'success', latencyMs: 4 };
const body = JSON.stringify({
  ts: '2026-07-03T14:00:00.000Z',
  startup: { ...probe, latencyMs: 0 },
  readiness: probe,
  liveness: probe,
  restoreStatus: { hadBackup: true, restored: true },
  status: 'running',
  processId: 'proc_123',
  processType: 'gateway',
  phase: 'ready',
});
const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
const asked = new Map();
const server = createServer((request, response) => {
  const instance = `${request.headers.host}${request.url}`;
  asked.set(instance, (asked.get(instance) ?? 0) + 1);
  response.writeHead(200, headers).end(body);
});
server.listen(0, '0.0.0.0', 4096, () => process.send?.({ port: server.address().port }));
// How often each instance was asked since the last question.
process.on('message', () => {
  const counts = [...asked.values()];
  asked.clear();
  process.send?.({ asked: counts.reduce((sum, count) => sum + count, 0), instances: counts.length });
});
process.on('disconnect', () => process.exit());
