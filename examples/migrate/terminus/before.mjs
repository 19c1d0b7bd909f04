// With @godaddy/terminus: one health check, a wait before the shutdown, clean-up after it.
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { createTerminus } from '@godaddy/terminus';

const database = { query: async () => 1, close: async () => console.log('the database is closed') };

const server = createServer(async (_request, response) => {
  await sleep(200);
  response.end('done');
});

createTerminus(server, {
  signals: ['SIGTERM', 'SIGINT'],
  healthChecks: { '/healthz': () => database.query('select 1') },
  beforeShutdown: () => sleep(Number(process.env.DRAIN_MS ?? 5000)),
  timeout: 10_000,
  onSignal: () => database.close(),
  onShutdown: async () => console.log('ended'),
  useExit0: true,
});

server.listen(Number(process.env.PORT ?? 8080), () => {
  console.log(`listening on http://localhost:${server.address().port}`);
});
