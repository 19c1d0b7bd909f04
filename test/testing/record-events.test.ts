import { expect, it } from 'vitest';
import { Controller, unhealthy } from '../../src/index.js';
import { FakeClock, recordEvents } from '../../src/testing/index.js';

function controllerWithParts() {
  const clock = new FakeClock();
  const controller = new Controller({ clock });
  let fails = false;
  controller.register('api', { start: () => {} });
  controller.registerCheck({ name: 'db', check: () => (fails ? unhealthy('gone') : undefined), intervalMs: 100 });
  return { clock, controller, fail: () => (fails = true) };
}

it('records every event in order, as payloads and as lines', async () => {
  const { clock, controller, fail } = controllerWithParts();
  const recording = recordEvents(controller);
  controller.start();
  await clock.advance(50);
  fail();
  await clock.advance(50);
  await controller.stop();
  expect(recording.lines).toEqual([
    'state never_started -> running',
    'service api started',
    'check db pending -> healthy',
    'check db healthy -> unhealthy',
    'state running -> stopping',
    'state stopping -> stopped',
  ]);
  expect(recording.events[3]).toMatchObject({
    event: 'check',
    name: 'db',
    from: 'healthy',
    to: 'unhealthy',
    result: { status: 'unhealthy', message: 'gone' },
  });
});

it('stops with off() and keeps what it heard', async () => {
  const { clock, controller } = controllerWithParts();
  const recording = recordEvents(controller);
  const other = recordEvents(controller);
  controller.start();
  await clock.advance(0);
  const heard = recording.lines;
  recording.off();
  recording.off();
  await controller.stop();
  expect(recording.lines).toEqual(heard);
  expect(other.lines).toEqual([...heard, 'state running -> stopping', 'state stopping -> stopped']);
});
