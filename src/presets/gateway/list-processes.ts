import type { ListedProcess } from './classify.js';
import type { GatewayContext } from './context.js';
import { scanProc } from './scan-proc.js';
import { scanPs } from './scan-ps.js';

/**
 * The processes of this machine, or container, as far as its process namespace shows them, without our own: from /proc
 * on Linux, by `ps` elsewhere. Rejects where they cannot be listed, which is a third answer beside there and not there.
 */
export function listProcesses({ signal }: GatewayContext): Promise<readonly ListedProcess[]> {
  return process.platform === 'linux' ? scanProc({ signal }) : scanPs({ signal });
}
