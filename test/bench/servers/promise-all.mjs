import { createServer } from 'node:http';
import { checksOf, count, serve, workMs } from './serve.mjs';

const checks = checksOf(count, workMs);
await serve(
  createServer(async (_request, response) => {
    const services = await Promise.all(
      checks.map(async ({ name, check }) => {
        try {
          await check();
          return { name, status: 'OK' };
        } catch (error) {
          return { name, status: 'ERROR', error: error.message };
        }
      }),
    );
    const healthy = services.every(({ status }) => status === 'OK');
    const body = Buffer.from(JSON.stringify({ healthy, services }));
    response.writeHead(healthy ? 200 : 503, { 'content-type': 'application/json', 'content-length': body.length });
    response.end(body);
  }),
);
