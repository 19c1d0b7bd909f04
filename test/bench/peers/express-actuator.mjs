import { createServer } from 'node:http';
import express from 'express';
import actuator from 'express-actuator';
import { checksOf, count, serve, workMs } from './serve.mjs';

const checks = checksOf(count, workMs);
const app = express();
app.use(
  actuator({
    customEndpoints: [
      {
        id: 'readyz',
        controller: async (_request, response) => {
          await Promise.all(checks.map(({ check }) => check()));
          response.json({ status: 'UP' });
        },
      },
    ],
  }),
);
await serve(createServer(app));
