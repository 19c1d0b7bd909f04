// A Nest application: health endpoints before everything else, and the controller as an indicator inside
// @nestjs/terminus for who has that already. It has dependencies of its own: `npm ci --prefix examples/nest`, then
// `node examples/nest/main.mjs`. Decorators are called as functions, so that nothing has to be compiled.
import 'reflect-metadata';
import { setTimeout as sleep } from 'node:timers/promises';
import { Get, Inject, Module, Controller as NestController } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { HealthCheckService, TerminusModule } from '@nestjs/terminus';
import { Controller } from 'health-controller';
import { healthRouter } from 'health-controller/express';
import { httpService } from 'health-controller/http';
import { diskSpace } from 'health-controller/presets';
import { controllerIndicator } from './indicator.mjs';

const controller = new Controller({
  signals: true,
  drainDelayMs: Number(process.env.DRAIN_MS ?? 5000),
  reportRunState: true,
});
controller.registerCheck({ name: 'heap', check: () => process.memoryUsage().heapUsed < 2e9 });
controller.registerCheck(diskSpace({ name: 'disk', path: '/', intervalMs: 30_000, critical: false }));

class AppController {
  constructor(health) {
    this.health = health;
  }

  async work() {
    await sleep(200);
    return 'done';
  }

  check() {
    return this.health.check([controllerIndicator(controller)]);
  }
}
const method = (name) => [
  AppController.prototype,
  name,
  Object.getOwnPropertyDescriptor(AppController.prototype, name),
];
Get('work')(...method('work'));
Get('health')(...method('check'));
Inject(HealthCheckService)(AppController, undefined, 0);
NestController()(AppController);

class AppModule {}
Module({ imports: [TerminusModule], controllers: [AppController] })(AppModule);

const app = await NestFactory.create(AppModule, { logger: ['error', 'warn'] });
// A middleware of the application: a global prefix does not move it, guards and interceptors do not see it.
app.use(healthRouter(controller));
app.setGlobalPrefix('api');
await app.init();

const server = httpService(app.getHttpServer(), {
  port: Number(process.env.PORT ?? 8080),
  controller,
  logger: console,
});
controller.register('nest', {
  ...server,
  // Nest's own hooks (onModuleDestroy and the like) run once no request is under way any more.
  stop: async (context) => {
    await server.stop(context);
    await app.close();
  },
});
controller.start();

const outcome = await controller.wait();
console.log(`ended: ${outcome.cause}, exit code ${outcome.exitCode}`);
process.exitCode = outcome.exitCode;
