// Supervision: a worker that crashes and recovers, and a service that owns a supervisor and survives its own restart.
//   node examples/supervision/main.mjs
import { Controller, withRestartPolicy, withStopOnGiveUp } from 'health-controller';
import { Jobs } from './jobs.mjs';
import { Worker } from './worker.mjs';

/** @param {string} text */
const tell = (text) => console.log(text);

const controller = new Controller({ signals: true, reportRunState: true });
const jobs = new Jobs(['mail', 'thumbnails'], tell);

controller.register(
  'worker',
  new Worker(),
  withRestartPolicy({ maxRestarts: 5, initialBackoffMs: 100, jitter: 'equal' }),
  withStopOnGiveUp(), // without it, this process could do nothing for anybody
);
controller.register('jobs', jobs, withRestartPolicy({}));
// One job that has failed degrades the report; it does not take the process out of rotation.
controller.registerCheck({
  name: 'failed-jobs',
  check: () => {
    const failed = Object.entries(jobs.health()).filter(([, { state }]) => state === 'failed');
    return failed.length === 0 ? true : { status: 'degraded', message: failed.map(([name]) => name).join(', ') };
  },
});

controller.on('service', ({ service, kind, error, restarts }) => {
  tell(`service ${service}: ${kind}${error === undefined ? '' : ` (${error}, restarts: ${restarts})`}`);
});

controller.start();
await controller.whenReady({ timeoutMs: 5000 });
await untilFailed('thumbnails');
await report();

tell('restarting jobs by hand');
await controller.restart('jobs');
await untilFailed('thumbnails');
await report();

const outcome = await controller.stop('the example is over');
tell(`stopped: ${outcome.reason}, unfinished: ${outcome.unfinished.join(', ') || 'nothing'}`);
process.exitCode = outcome.exitCode;

async function report() {
  const { overallHealthy, services } = await controller.readiness();
  const entries = services.map(
    ({ name, status, error }) => `${name} ${status}${error === undefined ? '' : `: ${error}`}`,
  );
  tell(`ready: ${overallHealthy} (${entries.join('; ')})`);
}

/** @param {string} job */
async function untilFailed(job) {
  while (jobs.health()[job]?.state !== 'failed') await new Promise((resolve) => setTimeout(resolve, 10));
}
