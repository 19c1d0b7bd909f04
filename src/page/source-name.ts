import { entryName, readOptions } from '../kit.js';

/** What every ready-made source takes. */
export interface SourceOptions {
  /** The heading of its section: 1 to 256 characters. Absent: what is shown there. */
  readonly name?: string | undefined;
}

/** The name of a source; `at` names its maker. */
export function sourceName(at: string, given: unknown, fallback: string): string {
  const { name = fallback }: SourceOptions = readOptions(at, { name: entryName() }, given);
  return name;
}
