import type { LookupFunction } from 'node:net';

const SCRIPT = `require('dns').lookup(process.argv[1], { all: true }, (error, found) => {
  process.stdout.write(JSON.stringify(error ? { code: error.code } : { found }));
});`;

/**
 * Looks up a host name so that it can be given up. The system's resolver, asked from this process, cannot: until it has
 * given up itself, after ten seconds or more, the process does not end. So it is asked from a process that can be
 * killed. `localhost` is the loopback (RFC 6761): nobody is asked.
 */
export function lookupWithin(signal: AbortSignal): LookupFunction {
  return (host, _options, callback) => {
    if (host === 'localhost') {
      callback(null, [
        { address: '127.0.0.1', family: 4 },
        { address: '::1', family: 6 },
      ]);
      return;
    }
    askChild(host, signal).then(
      ({ code, found = [] }) => callback(found.length > 0 ? null : Object.assign(new Error(), { code }), found),
      () => callback(Object.assign(new Error(), { code: 'EAI_AGAIN' }), []),
    );
  };
}

interface Answer {
  readonly code?: string;
  readonly found?: { readonly address: string; readonly family: number }[];
}

async function askChild(host: string, signal: AbortSignal): Promise<Answer> {
  // Loaded only here: most probes ask for an address.
  const { execFile } = await import('node:child_process');
  return new Promise((resolve, reject) => {
    const options = { signal, killSignal: 'SIGKILL', env: { ...process.env, NODE_OPTIONS: '' } } as const;
    execFile(process.execPath, ['-e', SCRIPT, host], options, (error, stdout) => {
      if (error === null) resolve(JSON.parse(stdout) as Answer);
      else reject(error);
    });
  });
}
