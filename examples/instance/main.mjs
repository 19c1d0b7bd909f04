// A containerised tool and its tunnel, watched: the start is verified, then the tunnel breaks, then the tool itself.
// `node examples/instance/main.mjs` needs a container engine (Docker, or Podman's compatible service; DOCKER_HOST may name
// its socket) and dockerode. It makes one container, removes it again, and ends by itself. Where something is missing it
// says so in one line. It asks several times a second, so that there is something to see.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { badge, dockerContainer, execProbe, Instance } from 'health-controller/presets/instance';
import { connect, removeTool, runTool } from './engine.mjs';

const beganAt = performance.now();

const engine = await connect();
if (typeof engine === 'string') console.log(`Nothing to show here. Missing: ${engine}`);
else await show(engine);

async function show({ docker, image }) {
  const name = `health-controller-example-${process.pid}`;
  // Ready after a moment, as real tools are.
  const script = 'rm -f /tmp/ready; sleep 1; touch /tmp/ready; while true; do sleep 0.2; done';
  const container = await runTool(docker, image, name, script);
  let tunnel = await openTunnel();
  const instance = new Instance({
    name: 'tool',
    container: dockerContainer({ name, docker }),
    readinessProbe: execProbe('cat /tmp/ready'),
    tunnel: () => tunnel.url,
    pollIntervalMs: 200,
    probeIntervalMs: 200,
    tunnelIntervalMs: 200,
    recreatePolicy: { failures: 3, minGapMs: 1000 },
    onTunnelBroken: async ({ failures, message }) => {
      print(`the tunnel has failed ${failures} times in a row (${message}): making a new one`);
      tunnel = await openTunnel();
    },
  });
  instance.on('status', ({ from, to, message }) =>
    print(`${from} -> ${to}${message === undefined ? '' : `: ${message}`}`),
  );

  try {
    print('the container was started: verifying it');
    await instance.start();
    await tell(instance);

    print('the tunnel breaks');
    const broken = tunnel;
    await broken.close();
    await tell(instance);
    while (tunnel === broken) await sleep(50);
    await tell(instance);

    print('the tool is killed: the tunnel answers 502 for it');
    tunnel.answer(502);
    await container.kill();
    await until(instance, 'error');
    await tell(instance);

    print('somebody starts the container again');
    await container.start();
    await until(instance, 'starting');
    await tell(instance);
    await until(instance, 'running');
    tunnel.answer(200);
    await tell(instance);
  } finally {
    instance.stop();
    await tunnel.close();
    await removeTool(container);
  }
}

/** What stands for the public end of a tunnel. */
async function openTunnel() {
  let status = 200;
  const server = createServer((_request, response) => response.writeHead(status).end()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${server.address().port}/`,
    answer(now) {
      status = now;
    },
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}

async function tell(instance) {
  const health = await instance.health();
  const button = health.can_recreate_tunnel ? ', a new tunnel may help' : '';
  print(
    `  container ${health.container_status}, tunnel ${health.tunnel_status}${button}: [${badge(health) ?? 'no badge'}]`,
  );
}

async function until(instance, status) {
  while (instance.status !== status) await sleep(50);
}

function print(text) {
  console.log(`${(performance.now() - beganAt).toFixed(0).padStart(6)} ms  ${text}`);
}
