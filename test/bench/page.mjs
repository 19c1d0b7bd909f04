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
      'CPU per request over bare node:http that answers a short constant with `Content-Length`; medians of interleaved rounds, each with processes of its own. "Same answer" is over bare node:http that answers a constant of the same length, when checks of the same time would be done: no answer of that size and time costs less. Where checks take 5 ms, requests come in bursts with pauses between, in which the process falls asleep: that alone costs what stands between the two columns.',
      table(
        ['', 'checks', 'connections', 'ratio', 'same answer', 'CPU µs', 'requests/s', 'p99 ms'],
        result.http.map((row) => [
          row.what,
          row.checks,
          row.connections,
          against(row.ratio, row.target),
          row.ratioToSame === undefined ? '' : two(row.ratioToSame),
          row.cpuMicros.toFixed(1),
          Math.round(row.perSecond),
          two(row.p99Ms),
        ]),
      ),
    );
  }
  if (result.adapters) {
    parts.push(
      '## Adapters',
      'CPU per request over the bare framework that answers a constant of the same length; cached checks.',
      table(
        ['', 'checks', 'connections', 'ratio'],
        result.adapters.map((row) => [row.what, row.checks, row.connections, against(row.ratio, row.target)]),
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
    const { hung, faults } = result;
    parts.push(
      '## Faults',
      `A hung check under ${hung.probes} probes: the heap grew by ${(hung.growthBytes / 2 ** 20).toFixed(2)} MiB (target 5), ${hung.abandoned} runs unsettled (target 2).`,
      'Two hundred probes at once over one check that takes 200 ms, and over one that never comes back; clients give up after 3 s. Ours has a timeout of 1 s; the peers have none to give.',
      table(
        ['', 'runs of the slow check', 'runs of the hung check', 'answered over the hung check', 'heap growth, kB'],
        faults.map((row) => [
          row.what,
          row.slowRuns,
          row.hungRuns,
          `${row.answered} of ${row.probes}`,
          Math.round(row.growthBytes / 1000),
        ]),
      ),
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
      `1,000 services with trivial stops: ${against(shutdown.ratio, 1.5)} times a plain loop over them (${two(shutdown.oursMs)} ms, ${two(shutdown.loopMs)} ms), ${two(shutdown.ratioToEqual)} times a loop that gives each stop a signal and a deadline of its own, as the contract of \`stop\` asks. Medians of 41 in one process; the first of a process, which no compiler has seen before, takes ${two(shutdown.firstMs)} ms.`,
    );
  }
  const programs = [
    ['Gateway', result.gateway],
    ['Sandbox services', result.sandboxServices],
    ['Monitor', result.monitor],
    ['History', result.history],
  ];
  for (const [title, lines] of programs) {
    if (lines) parts.push(`## ${title}`, ['```text', ...lines, '```'].join('\n'));
  }
  return `${parts.join('\n\n')}\n`;
}
