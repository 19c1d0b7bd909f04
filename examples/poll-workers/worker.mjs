// One of several workers: `REDIS_URL=redis://127.0.0.1:6379 node examples/poll-workers/worker.mjs`. Start as many as are
// needed, on as many machines; stop one with SIGTERM, or lose it.
import { Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { pollInstance } from './keep.mjs';
import { connectionTo, QUEUE } from './queue.mjs';

const url = process.env.REDIS_URL ?? 'redis://127.0.0.1:6379';
const redis = new Redis(url);
const worker = new Worker(
  QUEUE,
  (job) => pollInstance(redis, job.data, { 'x-poll-job': String(job.id), 'x-poll-worker': String(process.pid) }),
  {
    connection: connectionTo(url),
    // How many tries this worker makes at a time.
    concurrency: 50,
    // A job of a worker that is gone is taken over after at most so long. Longer than a try takes.
    lockDuration: 6000,
    stalledInterval: 3000,
  },
);
// Redis may be away for a while: BullMQ and ioredis connect again by themselves.
for (const part of [worker, redis])
  part.on('error', (error) => console.error(`worker ${process.pid}: ${error.message}`));
await worker.waitUntilReady();
process.send?.('ready');

let ending = false;
async function end() {
  if (ending) return;
  ending = true;
  // Waits for the tries under way.
  await worker.close();
  await redis.quit();
  if (process.connected) process.disconnect();
}
process.on('SIGTERM', end);
// Where another process has started this one, it does not outlive it.
process.on('disconnect', end);
