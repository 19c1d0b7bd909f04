import { HealthMonitor } from '../../src/client/index.js';
import { bearerToken, createHealthHandler, fromLoopback, type ReportPage } from '../../src/http/index.js';
import { Controller } from '../../src/index.js';
import {
  controllerSource,
  createStatusPage,
  gatewaySource,
  instanceSource,
  monitorSource,
  type PageSource,
  sandboxSource,
} from '../../src/page/index.js';
import { Gateway } from '../../src/presets/gateway/index.js';
import type { Instance } from '../../src/presets/instance/index.js';
import { SandboxServices } from '../../src/presets/sandbox-service/index.js';

declare const instance: Instance;
declare const source: PageSource;
const controller = new Controller();

// What the package has fits into the sources, which know it by its shape only.
const sources: readonly PageSource[] = [
  controllerSource(controller),
  gatewaySource(new Gateway(), { name: 'G' }),
  sandboxSource(new SandboxServices()),
  instanceSource([instance]),
  monitorSource(new HealthMonitor()),
  // Also what only reports.
  controllerSource({ status: () => controller.status(), readiness: () => controller.readiness() }),
  { name: 'Own', read: () => ({ entries: [{ name: 'a', state: 'ok' }] }) },
  {
    name: 'Own too',
    read: async () => ({ state: 'error', entries: [] }),
    watch: (changed) => {
      changed({ entry: 'a' });
      return () => {};
    },
  },
];

const page = createStatusPage({ sources, details: fromLoopback() });
const beside: ReportPage = page;
createHealthHandler(controller, { page: beside });
createStatusPage({ sources, details: bearerToken('secret') });

// @ts-expect-error: a page shows something
createStatusPage({});
// @ts-expect-error: a misspelt option
createStatusPage({ sources, refreshMs: 1000 });
// @ts-expect-error: a state that there is not
createStatusPage({ sources: [{ name: 'x', read: () => ({ entries: [{ name: 'a', state: 'fine' }] }) }] });
// @ts-expect-error: a gateway is no instance
instanceSource([new Gateway()]);
// @ts-expect-error: a source is not to be changed
source.name = 'x';
