// With @nestjs/terminus alone: what main.mjs replaces. Its checks run one after the other on every request, a check that
// hangs hangs the answer, and readiness knows nothing of the shutdown.
import 'reflect-metadata';
import { setTimeout as sleep } from 'node:timers/promises';
import { Get, Inject, Module, Controller as NestController } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { DiskHealthIndicator, HealthCheckService, MemoryHealthIndicator, TerminusModule } from '@nestjs/terminus';

class AppController {
  constructor(health, memory, disk) {
    Object.assign(this, { health, memory, disk });
  }

  async work() {
    await sleep(200);
    return 'done';
  }

  check() {
    return this.health.check([
      () => this.memory.checkHeap('heap', 2e9),
      () => this.disk.checkStorage('disk', { path: '/', thresholdPercent: 0.99 }),
    ]);
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
Inject(MemoryHealthIndicator)(AppController, undefined, 1);
Inject(DiskHealthIndicator)(AppController, undefined, 2);
NestController()(AppController);

class AppModule {}
Module({
  imports: [TerminusModule.forRoot({ gracefulShutdownTimeoutMs: Number(process.env.DRAIN_MS ?? 5000) })],
  controllers: [AppController],
})(AppModule);

const app = await NestFactory.create(AppModule, { logger: ['error', 'warn'] });
app.enableShutdownHooks();
app.setGlobalPrefix('api');
await app.listen(Number(process.env.PORT ?? 8080));
console.log(`listening on http://localhost:${app.getHttpServer().address().port}`);
