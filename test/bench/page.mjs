// The page of the results, made of what was measured and nothing else.

const two = (value) => value.toFixed(2);
const against = (value, target) =>
  `${two(value)}${target === undefined ? '' : value <= target ? ` (target ${target})` : ` **(target ${target} missed)**`}`;

function table(head, rows) {
  return [
    `| ${head.join(' | ')} |`,
    `|${head.map(() => '---').join('|')}|`,
    ...rows.map((row) => `| ${row.join(' | ')} |`),
  ].join('\n');
}

export function page(result) {
  const parts = [
    '# Performance',
    'Made by `npm run bench`; do not edit. Everything is a ratio to a baseline of the same run, because throughput on a shared machine says little: CPU time (user and system) of the server process is the figure.',
    `${result.date}, Node ${result.node}, ${result.machine}. Peers: ${Object.entries(result.peers)
      .map(([name, version]) => `${name} ${version}`)
      .join(', ')}.`,
  ];
  if (result.http) {
    parts.push(
      '## A readiness endpoint over node:http',
      'CPU per request over bare node:http that answers a constant with `Content-Length`; medians of interleaved rounds.',
      table(
        ['', 'checks', 'connections', 'ratio', 'CPU µs', 'requests/s', 'p99 ms'],
        result.http.map((row) => [
          row.what,
          row.checks,
          row.connections,
          against(row.ratio, row.target),
          row.cpuMicros.toFixed(1),
          Math.round(row.perSecond),
          two(row.p99Ms),
        ]),
      ),
    );
  }
  if (result.cachedReport) {
    const { cachedReport: cached, syncReport: sync } = result;
    parts.push(
      '## Reports in process',
      table(
        ['', 'µs', 'against'],
        [
          ['100 cached entries, unchanged', two(cached.kept), `${two(cached.ratio)} times a fresh one (target 10)`],
          ['100 cached entries, made afresh', two(cached.fresh), ''],
          [
            '100 trivial sync checks',
            two(sync.ours),
            `${two(sync.ratio)} of a plain Promise.all that builds the same entries (target 0.5)`,
          ],
          ['the same by hand', two(sync.byHand), ''],
        ],
      ),
    );
  }
  if (result.polling) {
    parts.push(
      '## 10,000 polled checks every 5 s, with jitter',
      table(
        ['', 'CPU %', 'bytes each', 'loop delay p99, ms'],
        [
          ['an idle process', two(result.idle.cpuPercent), '', two(result.idle.delayP99Ms)],
          [
            '10,000 checks',
            `${two(result.polling.cpuPercent)} (target: idle + 2)`,
            `${Math.round(result.polling.bytesEach)} (target 1200)`,
            two(result.polling.delayP99Ms),
          ],
        ],
      ),
    );
  }
  if (result.growth) {
    parts.push(
      '## Growth',
      '![Cost against the number of checks](performance-growth.svg)',
      table(
        ['checks', 'µs per report', 'µs per check of it', 'µs per poll'],
        result.growth.map(({ count, reportMicros, pollMicros }) => [
          count,
          reportMicros.toFixed(1),
          two(reportMicros / count),
          two(pollMicros),
        ]),
      ),
    );
  }
  if (result.hung) {
    const { hung, shared } = result;
    parts.push(
      '## Faults',
      `A hung check under ${hung.probes} probes: the heap grew by ${(hung.growthBytes / 2 ** 20).toFixed(2)} MiB (target 5), ${hung.abandoned} runs unsettled (target 2). ${shared.probes} probes at once over a check of 200 ms: ${shared.runs} run. None of the peers bounds a check or shares a run: each of their probes starts every check, and waits for the hung one for ever.`,
    );
  }
  if (result.imports) {
    const peer = result.imports.find(({ what }) => what === '@godaddy/terminus')?.ms ?? Number.NaN;
    parts.push(
      '## Loading and size',
      table(
        ['import', 'CPU ms', 'over @godaddy/terminus'],
        result.imports.map(({ what, ms }) => [
          what,
          two(ms),
          against(ms / peer, what.startsWith('health') ? 1.3 : undefined),
        ]),
      ),
      table(
        ['package', 'kB unpacked', 'packages'],
        result.sizes.map(({ what, bytes, packages }) => [what, Math.round(bytes / 1000), packages]),
      ),
    );
  }
  if (result.shutdown) {
    const { shutdown } = result;
    parts.push(
      '## Shutdown',
      `1,000 services with trivial stops: ${against(shutdown.ratio, 1.5)} times a plain loop that gives each stop a signal of its own, as the controller does (${two(shutdown.oursMs)} ms, ${two(shutdown.loopMs)} ms).`,
    );
  }
  return `${parts.join('\n\n')}\n`;
}
