// The growth curve as an SVG: cost per check against the number of checks, on a logarithmic axis.

const [WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM] = [640, 320, 60, 24, 20, 48];

export function picture(growth) {
  const lines = [
    {
      name: 'report, µs per check',
      colour: '#1f6feb',
      values: growth.map(({ count, reportMicros }) => reportMicros / count),
    },
    { name: 'poll, µs', colour: '#bf3989', values: growth.map(({ pollMicros }) => pollMicros) },
  ];
  const most = Math.max(...lines.flatMap(({ values }) => values)) * 1.1;
  const decades = growth.map(({ count }) => Math.log10(count));
  const [first, last] = [decades[0] ?? 0, decades.at(-1) ?? 1];
  const x = (decade) => LEFT + ((decade - first) / (last - first || 1)) * (WIDTH - LEFT - RIGHT);
  const y = (value) => TOP + (1 - value / most) * (HEIGHT - TOP - BOTTOM);
  const parts = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="12">`,
  ];
  parts.push(
    `<title>Cost per check against the number of checks</title><rect width="${WIDTH}" height="${HEIGHT}" fill="#fff"/>`,
  );
  for (let i = 0; i <= 4; i++) {
    const value = (most * i) / 4;
    parts.push(`<line x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${y(value)}" y2="${y(value)}" stroke="#ddd"/>`);
    parts.push(`<text x="${LEFT - 6}" y="${y(value) + 4}" text-anchor="end">${value.toFixed(1)}</text>`);
  }
  for (const [i, { count }] of growth.entries()) {
    parts.push(`<text x="${x(decades[i] ?? 0)}" y="${HEIGHT - BOTTOM + 18}" text-anchor="middle">${count}</text>`);
  }
  parts.push(`<text x="${WIDTH / 2}" y="${HEIGHT - 10}" text-anchor="middle">checks</text>`);
  for (const [i, { name, colour, values }] of lines.entries()) {
    const points = values.map((value, at) => `${x(decades[at] ?? 0).toFixed(1)},${y(value).toFixed(1)}`);
    parts.push(`<polyline points="${points.join(' ')}" fill="none" stroke="${colour}" stroke-width="2"/>`);
    parts.push(`<text x="${LEFT + 12 + i * 180}" y="${TOP - 8}" fill="${colour}">${name}</text>`);
  }
  return `${parts.join('\n')}\n</svg>\n`;
}
