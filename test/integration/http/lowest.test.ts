import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import type express from 'express';
import type { fastify } from 'fastify';
import { describe } from 'vitest';
import { needs } from '../support/needs.js';
import { contract } from './support/contract.js';
import { expressWith, fastifyWith } from './support/mounts.js';

// The first release of each major version; the newest ones are dependencies of ours. `npm ci` in ./lowest installs them.
const folder = new URL('./lowest/', import.meta.url);
const there = await needs('the lowest versions of frameworks', () =>
  existsSync(new URL('node_modules/fastify5', folder)),
);

describe.skipIf(!there)('the lowest version of', () => {
  const load = createRequire(new URL('package.json', folder));
  const ofExpress = (name: string) => expressWith(((...args: []) => load(name)(...args)) as typeof express);
  const ofFastify = (name: string) => fastifyWith(() => (load(name) as typeof fastify)());
  contract([
    ['Express 4', ofExpress('express4')],
    ['Express 5', ofExpress('express5')],
    ['Fastify 4', ofFastify('fastify4')],
    ['Fastify 5', ofFastify('fastify5')],
  ]);
});
