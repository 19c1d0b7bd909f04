import type { ReportKind } from '../../index.js';
import type { Format, View } from './format.js';

/** What the Kubernetes API server calls these reports; ours has no counterpart there. */
const TITLES: { readonly [Kind in ReportKind]: string } = { liveness: 'livez', readiness: 'readyz', status: 'status' };

/**
 * As the Kubernetes API server writes it: `ok`, without a line feed; with `?verbose`, and always on failure, a line for
 * each entry and one for the whole, each ended by a line feed. Degraded is `ok` there.
 */
export const textFormat: Format = {
  names: ['text'],
  mediaType: 'text/plain',
  contentType: 'text/plain; charset=utf-8',
  body(view) {
    const { report, verbose, kind } = view;
    if (report.overallHealthy && !verbose) return 'ok';
    const verdict = `${TITLES[kind]} check ${report.overallHealthy ? 'passed' : 'failed'}`;
    return [...entryLines(view), ...lifecycleLine(view), ...warning(view.unmatched), verdict, ''].join('\n');
  },
};

function entryLines({ listing, details }: View): string[] {
  return listing.map((entry) => {
    const name = oneLine(entry.name);
    if ('excluded' in entry) return `[+]${name} excluded: ok`;
    if (entry.status !== 'ERROR') return `[+]${name} ok`;
    const why = details ? (entry.error ?? entry.reason) : undefined;
    return `[-]${name} failed: ${oneLine(why ?? WITHHELD)}`;
  });
}

const WITHHELD = 'reason withheld';

function lifecycleLine({ report: { reason }, details }: View): string[] {
  return reason === undefined ? [] : [`[-]lifecycle failed: ${details ? reason : WITHHELD}`];
}

function warning(unmatched: readonly string[]): string[] {
  if (unmatched.length === 0) return [];
  return [`warn: some health checks cannot be excluded: no matches for ${unmatched.map(quoted).join(',')}`];
}

// Control and formatting characters would add lines, or turn the text around them.
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu;

/** A text in which characters that add lines, or turn the text around them, are written out. */
export function oneLine(text: string): string {
  return text.replace(UNPRINTABLE, escaped);
}

function quoted(text: string): string {
  return `"${oneLine(text.replace(/["\\]/g, '\\$&'))}"`;
}

function escaped(char: string): string {
  return [...char].map((unit) => `\\u{${(unit.codePointAt(0) ?? 0).toString(16)}}`).join('');
}
