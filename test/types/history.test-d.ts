import Database from 'better-sqlite3';
import pg from 'pg';
import {
  HealthMonitor,
  HealthPoller,
  memoryStore,
  postgresStore,
  SnapshotHistory,
  type SnapshotStore,
  sqliteStore,
} from '../../src/client/index.js';
import { FakeClock, seededRandom } from '../../src/testing/index.js';

const store: SnapshotStore = sqliteStore(new Database(':memory:'), { ids: 'uuid' });
postgresStore(new pg.Pool());
postgresStore(new pg.Client());

const history = new SnapshotHistory({ store, clock: new FakeClock(), random: seededRandom(1), retentionMs: undefined });
history.attach(new HealthMonitor())();
history.attach(new HealthPoller({ url: 'http://h/' }))();
history.on('dropped', ({ count, row }) => count + (row?.latencyMs ?? 0));
history.on('failed', ({ error }) => {
  // @ts-expect-error what was thrown may be anything
  error.message;
});
history.uptime('i', { from: 0 }).then(({ ratio }) => {
  // @ts-expect-error nothing may be known
  ratio.toFixed();
});

// @ts-expect-error a store is required
new SnapshotHistory({});
// @ts-expect-error a misspelt option
new SnapshotHistory({ store, retention: 5 });
// @ts-expect-error a duration is a number
new SnapshotHistory({ store, flushIntervalMs: '5s' });
// @ts-expect-error a begin is required
history.uptime('i', { to: 5 });
// @ts-expect-error no such order
history.range('i', { order: 'newest' });
// @ts-expect-error no such event
history.on('lost', () => {});
// @ts-expect-error it is a connection, not a path
sqliteStore('history.db');
// @ts-expect-error it is a pool, not a string of a connection
postgresStore('postgres://h/');
// @ts-expect-error no such kind
memoryStore({ ids: 'number' });
// @ts-expect-error it tells nothing
history.attach({});
