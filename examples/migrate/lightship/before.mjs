// With lightship: a health server of its own, a task that readiness waits for, a beacon that holds the shutdown up.
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { createLightship } from 'lightship';

const lightship = await createLightship({
  port: Number(process.env.HEALTH_PORT ?? 9000),
  detectKubernetes: false,
  shutdownDelay: Number(process.env.DRAIN_MS ?? 5000),
});

lightship.queueBlockingTask(sleep(300)); // a cache that warms up

const server = createServer(async (request, response) => {
  if (request.url === '/job') {
    const beacon = lightship.createBeacon();
    response.end('begun');
    await sleep(Number(process.env.JOB_MS ?? 1000));
    console.log('the job is done');
    await beacon.die();
    return;
  }
  response.end('done');
});

lightship.registerShutdownHandler(() => {
  console.log('stopping');
  server.close();
  server.closeAllConnections();
});

server.listen(Number(process.env.PORT ?? 8080), () => {
  lightship.signalReady();
  console.log(`listening on http://localhost:${server.address().port}`);
});
