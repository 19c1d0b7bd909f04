import { WebSocket as UndiciWebSocket, fetch as undiciFetch } from 'undici';
import { WebSocket } from 'ws';
import {
  type GatewaySnapshot,
  HealthMonitor,
  HealthPoller,
  type InstanceState,
  type PollRecord,
  pollOnce,
  recordPoll,
  startRecord,
} from '../../src/client/index.js';

const url = 'http://w.test';

// The classes and functions that people have.
new HealthPoller({ url, webSocket: WebSocket });
new HealthPoller({ url, webSocket: UndiciWebSocket });
new HealthPoller({ url: new URL(url), webSocket: true, fetch });
new HealthPoller({ url, fetch: (asked, init) => undiciFetch(asked, init) });
new HealthPoller({ url, fetch: async (asked, { signal }) => fetch(asked, { signal }), id: undefined });

// A result says what it is.
pollOnce({ url }).then((result) => {
  if (result.ok) {
    const snapshot: GatewaySnapshot = result.snapshot;
    return [snapshot.phase, result.verdict === 'healthy'];
  }
  return result.error.length;
});
const [record, transitions] = recordPoll(startRecord(0, 'running'), { ok: false, error: 'x' }, 1);
const kept: PollRecord = JSON.parse(JSON.stringify(record));
kept.verdict?.startsWith('h');
transitions.includes('found');

const monitor = new HealthMonitor({ webSocket: WebSocket });
const off: () => void = monitor.on('lost', ({ instance, state }) => [instance.length, state.snapshotAgeMs?.toFixed()]);
off();
const list: InstanceState[] = monitor.list();
list[0]?.transport === 'websocket';

// @ts-expect-error a url is required
new HealthPoller({ webSocket: false });
// @ts-expect-error an id is required
monitor.add({ url });
// @ts-expect-error all instances share one clock
monitor.add({ id: 'a', url, clock: {} });
// @ts-expect-error a duration is a number
new HealthPoller({ url, intervalMs: '5s' });
// @ts-expect-error no such event
monitor.on('down', () => {});
// @ts-expect-error what failed has no snapshot
pollOnce({ url }).then((result) => result.snapshot);
const [first] = list;
// @ts-expect-error a state is not to be changed
if (first !== undefined) first.lost = true;
