import { Controller } from '../../src/index.js';
import { diskSpace, eventLoopDelay, httpCheck, writableDirectory } from '../../src/presets/index.js';
import { FakeClock, runCheck, runProbe, seededRandom } from '../../src/testing/index.js';

const controller = new Controller({ clock: new FakeClock(), random: seededRandom(1) });

controller.registerCheck(eventLoopDelay());
controller.registerCheck(diskSpace({ path: '/', unhealthyBelowBytes: undefined }));
controller.registerCheck(writableDirectory({ path: '/', type: 'both' }));
controller.registerCheck(httpCheck({ url: new URL('http://h/'), expectedStatus: [200, 302] }));
runCheck(httpCheck({ url: 'http://h/' })).then(({ durationMs }) => durationMs.toFixed());
runProbe(() => true).then(({ status }) => status === 'degraded');

// @ts-expect-error a path is required
diskSpace({});
// @ts-expect-error a misspelt option
diskSpace({ path: '/', degradedBelow: 5 });
// @ts-expect-error the check is ours
writableDirectory({ path: '/', check: () => true });
// @ts-expect-error a url is required
httpCheck({ method: 'GET' });
// @ts-expect-error only what changes nothing may be asked
httpCheck({ url: 'http://h/', method: 'POST' });
// @ts-expect-error a misspelt type
eventLoopDelay({ type: 'alive' });
// @ts-expect-error a duration is a number
eventLoopDelay({ intervalMs: '5s' });
// @ts-expect-error nothing else is a state
runProbe(() => ({ status: 'up' }));
