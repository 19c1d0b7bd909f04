import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { classifyOpenClawProcess } from '../../../src/presets/gateway/index.js';
import { scanProc } from '../../../src/presets/gateway/scan-proc.js';
import { parsePs } from '../../../src/presets/gateway/scan-ps.js';

const is = (command: string, status = 'running') => classifyOpenClawProcess({ command, status });

describe('a gateway is', () => {
  it.each([
    '/usr/local/bin/openclaw gateway',
    'openclaw --profile work gateway --port 18789',
    'openclaw --dev gateway',
    'openclaw gateway run',
    'node --max-old-space-size=512 /opt/openclaw/openclaw.mjs gateway',
    'node --import tsx dist/entry.js gateway',
    '/usr/bin/node /usr/lib/node_modules/openclaw/dist/index.js gateway --bind loopback',
    'bun /app/openclaw.mjs gateway',
    '  openclaw gateway  ',
  ])('%s', (command) => {
    expect(is(command)).toBe('gateway');
  });
});

describe('a start script is', () => {
  it.each([
    'start-openclaw.sh',
    './start-openclaw.sh --debug',
    'bash -e /usr/local/bin/start-openclaw.sh',
    '-bash -l start-openclaw.sh',
    'sh -c exec /usr/local/bin/start-openclaw.sh',
    'dash /opt/start-openclaw.sh 1 2',
  ])('%s', (command) => {
    expect(is(command)).toBe('script');
  });
});

describe('neither is', () => {
  it.each([
    '',
    ' ',
    'gateway',
    'openclaw-gateway-worker',
    'openclaw-gateway --port 1',
    'openclaw gateways',
    'openclaw gateway stop',
    'openclaw gateway install --force',
    'openclaw gateway call health',
    'openclaw agent gateway',
    'openclaw --profile gateway status',
    'node /app/openclaw.mjs status',
    'node /app/server.js gateway',
    'node gateway',
    'node',
    'nodemon /app/openclaw.mjs gateway',
    'sudo openclaw gateway',
    'sudo -u claw /usr/local/bin/start-openclaw.sh',
    'tail -f /var/log/openclaw-gateway',
    'bash -c cat /usr/local/bin/start-openclaw.sh',
    'bash -c sleep 1; /usr/local/bin/start-openclaw.sh',
    'bash -x',
    'bash',
    'sh -c openclaw gateway',
    'start-openclaw.sh.bak',
    'my-start-openclaw.sh',
    'tini -- /usr/local/bin/start-openclaw.sh',
    'pgrep -f start-openclaw.sh',
    'docker exec x openclaw gateway',
  ])('%s', (command) => {
    expect(is(command)).toBeNull();
  });

  it.each(['stopped', 'completed', 'failed', 'killed', 'error', 'unreadable', '', 'RUNNING'])(
    'a gateway of the status %j',
    (status) => {
      expect(is('openclaw gateway', status)).toBeNull();
      expect(is('start-openclaw.sh', status)).toBeNull();
    },
  );

  it('any text at all, and none is too odd to be classified', () => {
    const words = fc.constantFrom(
      'openclaw',
      'gateway',
      'node',
      'sh',
      '-c',
      '--profile',
      'start-openclaw.sh',
      ' ',
      '/',
      '-',
    );
    const text = fc.oneof(
      fc.string(),
      fc.array(fc.oneof(words, fc.string()), { maxLength: 8 }).map((parts) => parts.join(' ')),
    );
    fc.assert(
      fc.property(text, fc.string(), (command, status) => {
        expect([null, 'gateway', 'script']).toContain(is(command));
        if (status !== 'running' && status !== 'starting') expect(is(command, status)).toBeNull();
      }),
      { numRuns: 2000 },
    );
  });
});

describe('a pass over /proc', () => {
  let root = '';
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'proc-'));
  });
  afterEach(() => rmSync(root, { recursive: true }));

  const add = (pid: number, cmdline: string | Buffer, stat = `${pid} (x) S 1`): void => {
    mkdirSync(join(root, String(pid)));
    writeFileSync(join(root, String(pid), 'cmdline'), cmdline);
    writeFileSync(join(root, String(pid), 'stat'), stat);
  };
  const scan = () => scanProc({ signal: new AbortController().signal }, root);

  it('lists what runs, with its arguments apart by spaces', async () => {
    add(1, 'init\0');
    add(20, 'openclaw\0gateway\0--port\0' + '18789\0');
    expect(await scan()).toEqual(
      expect.arrayContaining([
        { id: '1', command: 'init', status: 'running' },
        { id: '20', command: 'openclaw gateway --port 18789', status: 'running' },
      ]),
    );
  });

  // A title is written over the arguments and padded with zeros.
  it('reads a rewritten title', async () => {
    add(1, `openclaw-gateway${'\0'.repeat(60)}`);
    add(2, 'openclaw-gateway');
    const found = await scan();
    expect(found.map(({ command }) => command)).toEqual(['openclaw-gateway', 'openclaw-gateway']);
  });

  it('takes the name of what has no command line, but leaves zombies out', async () => {
    add(1, 'init\0');
    add(2, '', '2 (openclaw-gatewa) S 1 2 2 0');
    add(3, '', '3 (openclaw-gatewa) Z 1 3 3 0');
    add(4, '', '4 (odd) name) R 1 4 4 0');
    add(5, '', '5 (gone) X 1 5 5 0');
    add(6, '', 'no stat at all');
    const found = await scan();
    expect(found.map(({ id, command }) => `${id} ${command}`).toSorted()).toEqual([
      '1 init',
      '2 openclaw-gatewa',
      '4 odd) name',
    ]);
  });

  it('leaves this process out, and what is no process', async () => {
    add(1, 'init\0');
    add(process.pid, 'openclaw\0gateway\0');
    mkdirSync(join(root, 'self'));
    writeFileSync(join(root, 'uptime'), '1 1');
    expect((await scan()).map(({ id }) => id)).toEqual(['1']);
  });

  it('leaves out what ends meanwhile', async () => {
    add(1, 'init\0');
    mkdirSync(join(root, '77'));
    expect((await scan()).map(({ id }) => id)).toEqual(['1']);
  });

  it('reads the head of a long command line', async () => {
    add(1, Buffer.alloc(200_000, 'x'));
    expect((await scan())[0]?.command).toHaveLength(4096);
  });

  it('lists as unreadable what may not be read', async () => {
    add(1, 'init\0');
    // A folder cannot be read as a file, whoever asks.
    mkdirSync(join(root, '88', 'cmdline'), { recursive: true });
    expect(await scan()).toContainEqual({ id: '88', command: '', status: 'unreadable' });
  });

  // Mounted with hidepid=2: those of other users are not even listed.
  it('knows that processes are hidden where the first one is', async () => {
    add(500, 'sh\0');
    expect(await scan()).toContainEqual({ id: '1', command: '', status: 'unreadable' });
  });

  it('rejects where there is no /proc, and when it is aborted', async () => {
    await expect(scanProc({ signal: new AbortController().signal }, join(root, 'none'))).rejects.toThrow('ENOENT');
    add(1, 'init\0');
    await expect(scanProc({ signal: AbortSignal.abort(new Error('late')) }, root)).rejects.toThrow('late');
  });
});

it('the output of ps is read: zombies, our own and what is no line of it left out', () => {
  const output = [
    '    1 Ss   /sbin/launchd',
    '  501 S+   openclaw gateway --port 18789  ',
    '  502 Z    (openclaw)',
    '  503 R    ps -A -ww',
    '  504 S    node app.js',
    '',
    'garbage',
  ].join('\n');
  expect(parsePs(output, [503, 504, undefined])).toEqual([
    { id: '1', command: '/sbin/launchd', status: 'running' },
    { id: '501', command: 'openclaw gateway --port 18789', status: 'running' },
  ]);
});
