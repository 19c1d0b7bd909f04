import { readFileSync } from 'node:fs';
import { degraded, healthy, type ProbeFunction, unhealthy } from '../../../src/index.js';
import { never } from './deferred.js';

/** One table of test/vectors. */
export function vectors<T>(name: string): T {
  return JSON.parse(readFileSync(new URL(`../../vectors/${name}.json`, import.meta.url), 'utf8')) as T;
}

/** A probe or check that does what the tables' notation says. */
export function acting(notation: string): ProbeFunction {
  const [verb = '', ...rest] = notation.split(':');
  const text = rest.join(':');
  switch (verb) {
    case 'ok':
      return () => undefined;
    case 'healthy':
      return () => healthy(...(text === '' ? [] : [text]));
    case 'degraded':
      return () => degraded(text);
    case 'unhealthy':
      return () => unhealthy(text);
    case 'fail':
      return () => {
        throw new Error(text);
      };
    case 'panic':
      return () => {
        throw text;
      };
    case 'false':
      return () => false;
    case 'hang':
      return never;
    default:
      throw new Error(`no such notation: ${notation}`);
  }
}
