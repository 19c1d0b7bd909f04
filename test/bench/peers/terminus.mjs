import { createServer } from 'node:http';
import terminus from '@godaddy/terminus';
import { checksOf, count, serve, workMs } from './serve.mjs';

const checks = checksOf(count, workMs);
const server = createServer((_request, response) => response.writeHead(404).end());
terminus.createTerminus(server, { healthChecks: { '/readyz': () => Promise.all(checks.map(({ check }) => check())) } });
await serve(server);
