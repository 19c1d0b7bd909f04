import { decoded } from './paths.js';

/** What a query asks for. */
export interface Query {
  readonly verbose: boolean;
  readonly exclude: readonly string[];
  /** Undefined where the header decides. */
  readonly format: string | undefined;
}

/** What a request without a query asks for. */
export const NO_QUERY: Query = Object.freeze({ verbose: false, exclude: Object.freeze([]), format: undefined });

/**
 * Reads `verbose` (there or not, as in the Kubernetes API server), `exclude` (repeatable) and the first `format`.
 * Whatever else there is makes no difference. Never throws.
 */
export function parseQuery(query: string): Query {
  if (query === '') return NO_QUERY;
  let verbose = false;
  let format: string | undefined;
  const exclude = new Set<string>();
  for (const pair of query.split('&')) {
    const end = pair.indexOf('=');
    const key = formDecoded(end < 0 ? pair : pair.slice(0, end));
    if (key === 'verbose') verbose = true;
    else if (key === 'exclude') exclude.add(formDecoded(end < 0 ? '' : pair.slice(end + 1)));
    // A plus is a plus here: `health+json` is a name.
    else if (key === 'format') format ??= decoded(end < 0 ? '' : pair.slice(end + 1));
  }
  return { verbose, exclude: [...exclude], format };
}

function formDecoded(text: string): string {
  return decoded(text.includes('+') ? text.replaceAll('+', ' ') : text);
}
