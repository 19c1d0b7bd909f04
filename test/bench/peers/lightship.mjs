import { createLightship } from 'lightship';
import { report } from './serve.mjs';

// It has no checks: its readiness is a flag. Its best case, whatever the number asked for.
const lightship = await createLightship({ port: 0, detectKubernetes: false, signals: [] });
lightship.signalReady();
report(lightship.server.address().port);
