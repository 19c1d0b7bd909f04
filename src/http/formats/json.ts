import type { Format } from './format.js';

/** The report as it is, less what is withheld. Keys come in one order, so that equal reports are equal bytes. */
export const jsonFormat: Format = {
  names: ['json'],
  mediaType: 'application/json',
  contentType: 'application/json; charset=utf-8',
  body({ report: { overallHealthy, state, reason, services } }) {
    return JSON.stringify({ overallHealthy, state, reason, services });
  },
};
