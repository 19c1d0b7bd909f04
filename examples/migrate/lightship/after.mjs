// The same with health-controller. The paths are lightship's, so that no deployment has to change.
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { Controller } from 'health-controller';
import { httpService, serveHealth } from 'health-controller/http';

const controller = new Controller({
  signals: true,
  drainDelayMs: Number(process.env.DRAIN_MS ?? 5000), // shutdownDelay
  holdTimeoutMs: 30_000, // how long beacons may live
  reportRunState: true, // readiness waits for each start
});

controller.register('cache', { start: () => sleep(300) }); // queueBlockingTask

const server = createServer(async (request, response) => {
  if (request.url === '/job') {
    const release = controller.hold('job'); // createBeacon
    response.end('begun');
    await sleep(Number(process.env.JOB_MS ?? 1000));
    console.log('the job is done');
    release(); // beacon.die
    return;
  }
  response.end('done');
});

// registerShutdownHandler and signalReady: the service listens at start and is closed, without losing a request, at stop.
const port = Number(process.env.PORT ?? 8080);
const http = httpService(server, { port, controller, logger: console });
controller.register('http', {
  ...http,
  stop: (context) => {
    console.log('stopping');
    return http.stop(context);
  },
});

await serveHealth(controller, {
  port: Number(process.env.HEALTH_PORT ?? 9000),
  paths: { liveness: '/live', readiness: '/ready', status: '/health' },
});
controller.start();
process.exitCode = (await controller.wait()).exitCode;
