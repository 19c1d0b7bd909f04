// A worker with a gateway in it: `node examples/gateway/main.mjs`. A WebSocket client prints every change of the phase: the
// cold start, a crash and the recovery from it, a restart by HTTP, and the goodbye. It ends by itself.
//
// The gateway is a stand-in with a start script of the usual name. The stream asks three times a second, so that there is
// something to see; the default is every five seconds.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Controller } from 'health-controller';
import { createHealthHandler, httpService } from 'health-controller/http';
import { bearerToken, classifyOpenClawProcess, Gateway } from 'health-controller/presets/gateway';
import { WebSocket } from 'ws';

const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'gateway-'));
const beganAt = performance.now();
const print = (text) => console.log(`${((performance.now() - beganAt) / 1000).toFixed(1).padStart(5)} s  ${text}`);

const freePort = async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  return port;
};
const gatewayPort = await freePort();

/** The ids of the processes that are this worker's: other gateways may run on this machine. */
const ours = new Set();

async function startGateway() {
  const script = spawn(here('start-openclaw.sh'), [here('stand-in.mjs'), String(gatewayPort)], {
    cwd: folder,
    stdio: 'ignore',
  });
  ours.add(String(script.pid));
  const [exitCode] = await once(script, 'exit');
  ours.add(readFileSync(join(folder, 'gateway.pid'), 'utf8').trim());
  // The gateway tells a configuration that it refuses by exit code 78: then it is not tried again.
  if (exitCode !== 0) throw Object.assign(new Error(`the start script exited with ${exitCode}`), { exitCode });
}

function killGateway() {
  try {
    process.kill(Number(readFileSync(join(folder, 'gateway.pid'), 'utf8')), 'SIGKILL');
  } catch {
    // It does not run.
  }
}

const gateway = new Gateway({
  healthUrl: `http://127.0.0.1:${gatewayPort}/health`,
  classifyProcess: (found) => (ours.has(String(found.id)) ? classifyOpenClawProcess(found) : null),
  ensureGateway: startGateway,
  stopGateway: killGateway,
});

const controller = new Controller({ signals: true, drainDelayMs: 300 });
gateway.attach(controller, { intervalMs: 1000 });

const health = createHealthHandler(controller);
const handle = gateway.handler({ authorize: bearerToken('only-for-this-example') });
const server = createServer((request, response) => {
  if (handle(request, response) || health(request, response)) return;
  response.writeHead(404).end();
});
const port = await freePort();
controller.register('http', httpService(server, { port, host: '127.0.0.1', controller }));
await gateway.attachWebSocket(server, { pollIntervalMs: 300 });
controller.start();
await new Promise((resolve) => (server.listening ? resolve() : server.once('listening', resolve)));
print(`GET http://127.0.0.1:${port}/api/health`);

// A client: it knows nothing of the gateway but its snapshots.
const client = new WebSocket(`ws://127.0.0.1:${port}/api/health/ws`);
let phase = '';
const waiting = new Map();
client.on('message', (text) => {
  const snapshot = JSON.parse(String(text));
  if (snapshot.phase === phase) return;
  phase = snapshot.phase;
  const { startup, readiness, liveness, status } = snapshot;
  const probes = Object.entries({ startup, readiness, liveness }).map(
    ([name, { ok }]) => `${name} ${ok ? 'ok' : '--'}`,
  );
  print(`${phase.padEnd(12)} ${probes.join('  ')}  (${status})`);
  waiting.get(phase)?.();
});
const phaseIs = (wanted) => (phase === wanted ? undefined : new Promise((resolve) => waiting.set(wanted, resolve)));
const closed = once(client, 'close');

await phaseIs('ready');
print('the gateway crashes');
killGateway();
await phaseIs('dead');
await phaseIs('ready');

print('POST /api/admin/gateway/restart');
const restarted = await fetch(`http://127.0.0.1:${port}/api/admin/gateway/restart`, {
  method: 'POST',
  headers: { authorization: 'Bearer only-for-this-example' },
});
print(`${restarted.status} ${await restarted.text()}`);
await phaseIs('ready');

await controller.stop();
const [code, reason] = await closed;
print(`the stream is closed: ${code} ${reason}`);
killGateway();
rmSync(folder, { recursive: true });
