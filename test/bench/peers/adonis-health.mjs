import { createServer } from 'node:http';
import { BaseCheck, HealthChecks, Result } from '@adonisjs/health';
import { checksOf, count, mode, serve, workMs } from './serve.mjs';

class OneCheck extends BaseCheck {
  constructor({ name, check }) {
    super();
    this.name = name;
    this.check = check;
  }
  async run() {
    await this.check();
    return Result.ok('fine');
  }
}
const health = new HealthChecks().register(
  checksOf(count, workMs).map((each) => (mode === 'cached' ? new OneCheck(each).cacheFor(10_000) : new OneCheck(each))),
);
await serve(
  createServer(async (_request, response) => {
    const report = await health.run();
    const body = Buffer.from(JSON.stringify(report));
    response.writeHead(report.isHealthy ? 200 : 503, {
      'content-type': 'application/json',
      'content-length': body.length,
    });
    response.end(body);
  }),
);
