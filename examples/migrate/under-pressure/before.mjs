// With @fastify/under-pressure: a status route, a health check on an interval, 503 for everybody while the loop is late.
import underPressure from '@fastify/under-pressure';
import fastify from 'fastify';

const database = { query: async () => 1 };

const app = fastify();
await app.register(underPressure, {
  maxEventLoopDelay: 250,
  maxRssBytes: 2e9,
  retryAfter: 10,
  healthCheck: async () => (await database.query('select 1')) === 1,
  healthCheckInterval: 5000,
  exposeStatusRoute: '/status',
});
app.get('/work', async () => 'done');
app.get('/block', async () => {
  const until = performance.now() + 1500;
  while (performance.now() < until);
  return 'blocked';
});

await app.listen({ port: Number(process.env.PORT ?? 8080), host: '::' });
console.log(`listening on http://localhost:${app.server.address().port}`);
process.once('SIGTERM', () => app.close());
