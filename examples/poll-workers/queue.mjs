// The schedules: one per instance, whoever sets it and however often.
import { Queue } from 'bullmq';

export const QUEUE = 'poll';
/** A blocking connection must wait for its Redis for ever. */
export const connectionTo = (url) => ({ url, maxRetriesPerRequest: null });

export const openQueue = (url) => new Queue(QUEUE, { connection: connectionTo(url) });

/** Setting the schedule of an instance again changes it; there are never two. */
export const schedule = (queue, { id, url }, everyMs = 5000) =>
  queue.upsertJobScheduler(
    id,
    { every: everyMs },
    { name: 'poll', data: { id, url }, opts: { removeOnComplete: true, removeOnFail: 100 } },
  );

export const unschedule = (queue, id) => queue.removeJobScheduler(id);
