import underPressure from '@fastify/under-pressure';
import fastify from 'fastify';
import { checksOf, count, report, workMs } from './serve.mjs';

const checks = checksOf(count, workMs);
const app = fastify();
await app.register(underPressure, {
  exposeStatusRoute: '/readyz',
  healthCheck: async () => {
    await Promise.all(checks.map(({ check }) => check()));
    return { healthy: true };
  },
});
await app.listen({ port: 0, host: '127.0.0.1' });
report(app.server.address().port);
