import { createServer } from 'node:http';
import health from '@cloudnative/health-connect';
import express from 'express';
import { checksOf, count, serve, workMs } from './serve.mjs';

const checker = new health.HealthChecker();
for (const { name, check } of checksOf(count, workMs))
  checker.registerReadinessCheck(new health.ReadinessCheck(name, check));
const app = express();
app.use('/readyz', health.ReadinessEndpoint(checker));
await serve(createServer(app));
