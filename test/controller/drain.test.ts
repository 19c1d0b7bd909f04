import { describe, expect, it } from 'vitest';
import { never } from './support/deferred.js';
import { Stage, untilAborted } from './support/stage.js';

describe('the drain delay', () => {
  it('comes after readiness has turned false and before anything is stopped', async () => {
    const stage = new Stage({ drainDelayMs: 2000 });
    const signals: AbortSignal[] = [];
    stage.service('api', {
      start: (context) => {
        signals.push(context.signal);
        context.ready();
        return untilAborted(context);
      },
    });
    await stage.start();
    const stopped = stage.watch(stage.controller.stop());
    expect((await stage.promptly(stage.controller.readiness())).overallHealthy).toBe(false);

    await stage.clock.advance(1999);
    expect(stage.trace(/stop/)).toEqual(['state stopping']);
    expect(signals[0]?.aborted).toBe(false);
    expect(stage.controller.signal.aborted).toBe(false);
    await stage.clock.advance(1);
    expect(stage.timeline(/stop|ended/)).toEqual([
      '0 state stopping',
      '2000 stop api',
      '2000 api ended',
      '2000 state stopped',
    ]);
    expect(stopped.value).toMatchObject({ durationMs: 2000, exitCode: 0 });
  });

  it('is absent by default', async () => {
    const stage = new Stage();
    stage.service('api');
    await stage.start();
    const outcome = await stage.promptly(stage.controller.stop());
    expect(outcome.durationMs).toBe(0);
  });

  it('is not taken out of the budget of the stops', async () => {
    const stage = new Stage({ drainDelayMs: 4000, shutdownTimeoutMs: 3000 });
    stage.service('api', { stop: never });
    await stage.start();
    const outcome = await stage.within(7000, stage.controller.stop());
    expect(outcome).toMatchObject({ unfinished: ['api'], durationMs: 7000 });
  });

  it('is measured by the monotonic clock when the wall clock steps', async () => {
    const stage = new Stage({ drainDelayMs: 1000 });
    stage.service('api');
    await stage.start();
    const stopped = stage.watch(stage.controller.stop());
    stage.clock.setWall(stage.clock.wall() + 3_600_000);
    await stage.clock.advance(999);
    stage.clock.setWall(0);
    expect(stopped.settled).toBe(false);
    await stage.clock.advance(1);
    expect(stopped.value?.durationMs).toBe(1000);
  });

  it('keeps the process alive, and so do holds and stops', async () => {
    const stage = new Stage({ drainDelayMs: 1000, holdTimeoutMs: 2000, shutdownTimeoutMs: 3000 });
    stage.service('api', { stop: never });
    await stage.start();
    const kept = () => stage.clock.timers.some(({ keepAlive }) => keepAlive);
    expect(kept()).toBe(false);
    stage.controller.hold('work');
    const stopped = stage.watch(stage.controller.stop());
    for (; stage.atMs < 5000; await stage.clock.advance(500)) expect(kept()).toBe(true);
    expect(stopped.atMs).toBe(5000);
    expect(stage.clock.pending).toBe(0);
  });
});

describe('holds', () => {
  it('hold the stops up until the last of them is released', async () => {
    const stage = new Stage();
    stage.service('api');
    await stage.start();
    const first = stage.controller.hold('upload 1');
    const second = stage.controller.hold('upload 2');
    const stopped = stage.watch(stage.controller.stop());
    await stage.clock.advance(300);
    first();
    first();
    await stage.clock.advance(400);
    expect(stage.trace(/^stop/)).toEqual([]);
    second();
    await stage.settle();
    expect(stopped.value).toMatchObject({ unfinished: [], exitCode: 0, durationMs: 700 });
    expect(stage.clock.pending).toBe(0);
  });

  it('released before the shutdown hold up nothing', async () => {
    const stage = new Stage();
    stage.controller.start();
    stage.controller.hold('upload')();
    expect(await stage.promptly(stage.controller.stop())).toMatchObject({ unfinished: [], durationMs: 0 });
  });

  it('run beside the drain delay, so that the longer of the two counts', async () => {
    const stage = new Stage({ drainDelayMs: 1000 });
    stage.service('api');
    await stage.start();
    const release = stage.controller.hold('upload');
    stage.controller.stop();
    await stage.clock.advance(600);
    release();
    await stage.clock.advance(1000);
    expect(stage.timeline(/^stop/)).toEqual(['1000 stop api']);
  });

  it('taken during the drain hold it up too', async () => {
    const stage = new Stage({ drainDelayMs: 1000 });
    stage.service('api');
    await stage.start();
    stage.controller.stop();
    await stage.clock.advance(900);
    const release = stage.controller.hold('upload');
    await stage.clock.advance(600);
    expect(stage.trace(/^stop/)).toEqual([]);
    release();
    await stage.settle();
    expect(stage.timeline(/^stop/)).toEqual(['1500 stop api']);
  });

  it('taken after the drain hold up nothing and are not named', async () => {
    const stage = new Stage();
    stage.service('api', {
      stop: () => stage.lasting(100),
    });
    await stage.start();
    const stopped = stage.watch(stage.controller.stop());
    await stage.clock.advance(50);
    const release = stage.controller.hold('late');
    await stage.clock.advance(50);
    expect(stopped.value).toMatchObject({ unfinished: [], exitCode: 0, durationMs: 100 });
    release();
  });

  it('last for holdTimeoutMs at most, 5000 by default, and are named with an exit code of 1', async () => {
    for (const [holdTimeoutMs, atMs] of [
      [undefined, 5000],
      [700, 700],
    ] as const) {
      const stage = new Stage({ holdTimeoutMs });
      stage.service('api');
      stage.controller.start();
      await stage.settle();
      stage.controller.hold('kept');
      stage.controller.hold('released')();
      const stopped = stage.watch(stage.controller.stop());
      await stage.clock.advance(10_000);
      expect(stage.timeline(/^stop/)).toEqual([`${atMs} stop api`]);
      expect(stopped.value).toMatchObject({ unfinished: ['hold:kept'], exitCode: 1, durationMs: atMs });
    }
  });

  it('released by the end of the shutdown, though after their time, stay named and do no harm', async () => {
    const stage = new Stage({ holdTimeoutMs: 100 });
    stage.controller.start();
    const release = stage.controller.hold('upload');
    const outcome = await stage.within(100, stage.controller.stop());
    release();
    await stage.settle();
    expect(outcome.unfinished).toEqual(['hold:upload']);
  });

  it('need a name', () => {
    const { controller } = new Stage();
    for (const name of ['', 'a\nb', 'x'.repeat(257), 7, undefined]) {
      expect(() => controller.hold(name as string)).toThrow(expect.objectContaining({ code: 'invalid_option' }));
    }
  });
});
