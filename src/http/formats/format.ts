import type { ReportKind } from '../../index.js';
import type { PublicEntry, PublicReport } from '../publish.js';

/** An entry that the request left out. */
export interface ExcludedEntry {
  readonly name: string;
  readonly excluded: true;
}

/** What a body is made of. */
export interface View {
  readonly kind: ReportKind;
  readonly report: PublicReport;
  /** The report's entries, and in their places those that the request left out. */
  readonly listing: readonly (PublicEntry | ExcludedEntry)[];
  /** What the request wanted left out that is no entry, sorted. */
  readonly unmatched: readonly string[];
  /** Whether the client may see details; they are in the report only then. */
  readonly details: boolean;
  /** Whether a success lists its entries too. */
  readonly verbose: boolean;
}

/** One way to write a report. A new one is a file beside this one and a line in the table. */
export interface Format {
  /** Its names in `?format=`. */
  readonly names: readonly string[];
  /** What `Accept` has to match. */
  readonly mediaType: string;
  readonly contentType: string;
  body(view: View): string;
}
