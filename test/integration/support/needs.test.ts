import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { allowedAbsent, needs, onPath } from './needs.js';

describe('a real part that a test needs', () => {
  const log = vi.spyOn(console, 'log').mockImplementation(() => {});

  beforeEach(() => {
    log.mockClear();
  });

  afterEach(() => {
    vi.unstubAllEnvs();
  });

  it('is there when its look-up says so, and nothing is printed', async () => {
    vi.stubEnv('CI', 'true');
    expect(await needs('some-server', () => true)).toBe(true);
    expect(log).not.toHaveBeenCalled();
  });

  it('is skipped with one line where it is absent outside CI', async () => {
    vi.stubEnv('CI', '');
    expect(await needs('some-server', async () => false)).toBe(false);
    expect(log.mock.calls).toEqual([['integration: some-server is missing: not found']]);
  });

  it('is absent when the look-up throws, and the line says why', async () => {
    vi.stubEnv('CI', '');
    expect(await needs('some-server', () => Promise.reject(new Error('no socket')))).toBe(false);
    expect(log.mock.calls).toEqual([['integration: some-server is missing: Error: no socket']]);
  });

  it('fails the file in CI where no line allows its absence', async () => {
    vi.stubEnv('CI', 'true');
    await expect(needs('some-server', () => false)).rejects.toThrow('integration: some-server is missing: not found');
  });

  it('may be allowed to be absent by a line of name and reason, and by nothing else', () => {
    expect([...allowedAbsent('# a comment\n\n docker: no kernel support here\n')]).toEqual([
      ['docker', 'no kernel support here'],
    ]);
    expect(() => allowedAbsent('docker')).toThrow('no "name: reason": docker');
    expect(() => allowedAbsent('docker:')).toThrow('no "name: reason": docker:');
  });

  it('is looked up on PATH', () => {
    expect(onPath('node')).toBe(true);
    expect(onPath('no-such-command-anywhere')).toBe(false);
  });
});
