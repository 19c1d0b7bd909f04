import 'reflect-metadata';
import { Controller, Dependencies, Get, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { HealthCheckService, TerminusModule } from '@nestjs/terminus';
import { checksOf, count, report, workMs } from './serve.mjs';

const checks = checksOf(count, workMs).map(({ name, check }) => async () => {
  await check();
  return { [name]: { status: 'up' } };
});
class Health {
  constructor(health) {
    this.health = health;
  }
  read() {
    return this.health.check(checks);
  }
}
Controller('readyz')(Health);
Dependencies(HealthCheckService)(Health);
Get()(Health.prototype, 'read', Object.getOwnPropertyDescriptor(Health.prototype, 'read'));
class App {}
Module({ imports: [TerminusModule.forRoot({ logger: false })], controllers: [Health] })(App);
const app = await NestFactory.create(App, { logger: false });
await app.listen(0, '127.0.0.1');
report(app.getHttpServer().address().port);
