import { afterEach } from 'vitest';
import type { Listening } from '../../presets/support/servers.js';

/** What a test has opened: closed after it, the last first. */
export interface Opened {
  use(starting: Promise<Listening>): Promise<Listening>;
  later(close: () => unknown): void;
}

export function openedByTests(): Opened {
  const closings: (() => unknown)[] = [];
  afterEach(async () => {
    for (const close of closings.splice(0).reverse()) await close();
  });
  return {
    async use(starting) {
      const server = await starting;
      closings.push(() => server.close());
      return server;
    },
    later(close) {
      closings.push(close);
    },
  };
}

export async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5));
}
