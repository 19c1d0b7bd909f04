// Three services of a sandbox, observed: one is steady, one takes its time to become ready, one fails after a while.
// `node examples/sandbox-services/main.mjs` prints every change of state as it comes, and ends by itself. It asks five
// times a second, so that there is something to see; the default is every five seconds.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { label, SandboxServices } from 'health-controller/presets/sandbox-service';

const beganAt = performance.now();
const print = (text) => console.log(`${((performance.now() - beganAt) / 1000).toFixed(1).padStart(5)} s  ${text}`);

/** What each service answers on /readyz. */
const answers = { steady: 200, slow: 503, failing: 200 };

const servers = await Promise.all(
  Object.keys(answers).map(async (service) => {
    const server = createServer((_request, response) => response.writeHead(answers[service]).end());
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return { service, server, port: server.address().port };
  }),
);

const services = new SandboxServices({ intervalMs: 200, timeoutMs: 1000 });

services.on('change', ({ from, service }) => {
  const { endpoint, health } = service;
  print(`${endpoint.service}: ${from} -> ${health.state} (${label(service)}: ${health.message})`);
});

for (const { service, port } of servers) {
  services.expose({ workspace: 'team', sandbox: 'demo', service, port, readinessCheck: { path: '/readyz' } });
}

print('the sandbox is ready: observation begins');
const sandbox = services.sandbox('team', 'demo');
sandbox.ready('runtime-1');

await sleep(1500);
print('slow has finished its start; failing begins to answer 500');
answers.slow = 200;
answers.failing = 500;

await sleep(1500);
print('what is known now:');
for (const service of services.list()) print(`  ${service.endpoint.service}: ${label(service)}`);

print('the runtime is replaced: nothing is known until the next check');
sandbox.ready('runtime-2');
await sleep(1500);

print('the sandbox is stopped');
sandbox.notReady();
await services.stop();
for (const { server } of servers) server.close();
