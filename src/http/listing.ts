import type { ExcludedEntry } from './formats/format.js';
import type { PublicEntry } from './publish.js';

/** What the client sees of a report from which it wanted some entries left out. */
export interface Listing {
  /** The entries, and in their places those left out. */
  readonly listing: readonly (PublicEntry | ExcludedEntry)[];
  /** What it wanted left out that is no entry, sorted. */
  readonly unmatched: readonly string[];
}

/** `names` are those of all entries in order, `services` what is left of them, `exclude` what the client said. */
export function listEntries(
  names: readonly string[],
  services: readonly PublicEntry[],
  exclude: readonly string[],
): Listing {
  const left = new Map<string, PublicEntry[]>();
  for (const entry of services) left.set(entry.name, [...(left.get(entry.name) ?? []), entry]);
  const wanted = new Set(exclude);
  const listing: (PublicEntry | ExcludedEntry)[] = [];
  for (const name of names) {
    if (wanted.delete(name)) listing.push({ name, excluded: true });
    else listing.push(...(left.get(name) ?? []));
    left.delete(name);
  }
  // What was registered after the names were read.
  listing.push(...[...left.values()].flat());
  return { listing, unmatched: [...wanted].sort() };
}
