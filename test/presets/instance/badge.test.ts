import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { badge, type InstanceHealth } from '../../../src/presets/instance/index.js';

function health(change: Partial<InstanceHealth>): InstanceHealth {
  return {
    container_status: 'running',
    tunnel_status: 'healthy',
    status: 'running',
    can_recreate_tunnel: false,
    validated: true,
    ...change,
  };
}

describe('the badge', () => {
  it.each<[Partial<InstanceHealth>, string | undefined]>([
    [{}, undefined],
    [{ tunnel_status: 'none' }, undefined],
    [{ tunnel_status: 'unknown' }, undefined],
    [{ container_status: 'unknown' }, undefined],
    [{ tunnel_status: 'app_error' }, 'app error'],
    [{ tunnel_status: 'tunnel_error' }, 'tunnel error'],
    [{ tunnel_status: 'tls_error' }, 'tunnel error'],
    [{ tunnel_status: 'starting' }, 'starting…'],
    [{ status: 'pending', container_status: 'missing', tunnel_status: 'tunnel_error' }, 'starting…'],
    [{ status: 'starting', tunnel_status: 'app_error' }, 'starting…'],
    [{ status: 'starting', container_status: 'restarting' }, 'starting…'],
    [{ container_status: 'restarting' }, 'starting…'],
    [{ status: 'error', container_status: 'exited', tunnel_status: 'app_error' }, 'container unhealthy'],
    [{ status: 'error', container_status: 'running' }, 'container unhealthy'],
    [{ status: 'unhealthy', tunnel_status: 'app_error' }, 'container unhealthy'],
    [{ container_status: 'paused' }, 'container unhealthy'],
    [{ container_status: 'missing' }, 'container unhealthy'],
    [{ status: 'pending', container_status: 'exited' }, 'container unhealthy'],
    [{ engine_health: 'unhealthy' }, 'container unhealthy'],
    [{ engine_health: 'healthy', tunnel_status: 'app_error' }, 'app error'],
  ])('of %j is %s', (change, expected) => {
    expect(badge(health(change))).toBe(expected);
  });

  it('is one of four texts or none, for whatever is known', () => {
    const any = fc.record({
      container_status: fc.constantFrom(
        ...([
          'created',
          'running',
          'paused',
          'restarting',
          'removing',
          'exited',
          'dead',
          'missing',
          'unknown',
        ] as const),
      ),
      tunnel_status: fc.constantFrom(
        ...(['healthy', 'starting', 'app_error', 'tunnel_error', 'tls_error', 'none', 'unknown'] as const),
      ),
      status: fc.constantFrom(...(['pending', 'starting', 'running', 'unhealthy', 'error'] as const)),
    });
    fc.assert(
      fc.property(any, (change) => {
        const told = badge(health(change));
        expect(['container unhealthy', 'tunnel error', 'app error', 'starting…', undefined]).toContain(told);
        // A tunnel is blamed only while the container is not the trouble.
        if (told === 'tunnel error' || told === 'app error') expect(change.status).toBe('running');
      }),
    );
  });
});
