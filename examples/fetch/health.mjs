// One controller for the whole process, and the handler that answers for it.
import { Controller } from 'health-controller';
import { createFetchHandler } from 'health-controller/fetch';

export const controller = new Controller({ drainDelayMs: Number(process.env.DRAIN_MS ?? 5000) });
controller.registerCheck({ name: 'memory', check: () => process.memoryUsage.rss() < 4e9 });
controller.start();

export const health = createFetchHandler(controller);
