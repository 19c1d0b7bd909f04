import { afterEach, expect, it, vi } from 'vitest';
import { dockerContainer } from '../../../src/presets/instance/index.js';

const signal = new AbortController().signal;

afterEach(() => {
  vi.doUnmock('dockerode');
  vi.resetModules();
});

it('a container is looked at through dockerode, which is loaded for the first look', async () => {
  const container = dockerContainer({ name: 'tool', socketPath: '/nowhere/docker.sock' });
  expect(await container.observe({ signal })).toEqual({
    status: 'unknown',
    reason: 'engine_unreachable',
    message: 'the container engine cannot be reached: connect ENOENT /nowhere/docker.sock',
  });
});

it('a machine without dockerode is told what to install', async () => {
  vi.doMock('dockerode', () => {
    throw Object.assign(new Error("Cannot find package 'dockerode'"), { code: 'ERR_MODULE_NOT_FOUND' });
  });
  expect(await dockerContainer({ name: 'tool' }).observe({ signal })).toEqual({
    status: 'unknown',
    reason: 'client_missing',
    message: expect.stringMatching(/^the package dockerode cannot be loaded \(npm install dockerode\): ./),
  });
});
