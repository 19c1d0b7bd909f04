import type { HealthReport, ReportKind } from '../index.js';
import { isThenable, onSettled } from '../kit.js';
import { negotiate } from './accept.js';
import { DetailsGate } from './details.js';
import { FORMATS, type Format, formatNamed } from './formats/table.js';
import { KeptAnswer } from './kept-answer.js';
import { type Listing, listEntries } from './listing.js';
import { type HealthPaths, PathTable, type Target } from './paths.js';
import type { PolicyRequest } from './policies.js';
import { type PublicReport, publish, type Wanted } from './publish.js';
import { parseQuery, type Query } from './query.js';
import { type PageWant, pageWant, type ReportPage } from './report-page.js';
import type { HealthReporter } from './reporter.js';
import type { Codes, HandlerSettings } from './resolve.js';
import {
  type HealthResponse,
  isResponse,
  makeResponse,
  NOT_ACCEPTABLE,
  NOT_ALLOWED,
  NOT_FOUND,
  PAGE_FAILED,
} from './response.js';
import { type Reading, SharedReading } from './shared-reading.js';
import { Spell } from './spell.js';

/** Takes an answer. Called once, perhaps at once. Must not throw. */
export type Deliver = (response: HealthResponse) => void;

/** What is shown where the reporter itself failed. */
const UNAVAILABLE: PublicReport = {
  overallHealthy: false,
  degraded: false,
  state: 'unknown',
  reason: 'report_failed',
  services: [],
};

/** One question: which report, and how it is to be shown. */
interface Question {
  readonly kind: ReportKind;
  /** The one entry that is asked for; undefined for the whole. */
  readonly entry: string | undefined;
  /** What is to be left out of the whole. */
  readonly exclude: readonly string[];
  readonly verbose: boolean;
  readonly format: Format;
  readonly details: boolean;
  /** Where the last answer to it is, if it depends on names, states and reasons alone. */
  readonly kept: KeptAnswer | undefined;
}

/**
 * The one place that decides status, headers and body; every adapter is a shell around it. `match` says what a request
 * target asks for, `answer` answers it.
 */
export class Responder<Request> {
  readonly paths: HealthPaths;
  readonly #reporter: HealthReporter;
  readonly #codes: Codes;
  readonly #table: PathTable;
  readonly #details: DetailsGate<Request>;
  readonly #page: ReportPage | undefined;
  readonly #pageSpell: Spell;
  readonly #spell: Spell;
  readonly #readings: { readonly [Kind in ReportKind]: SharedReading };
  /** What probes ask, which is made once. */
  readonly #plain: { readonly [Kind in ReportKind]: ReadonlyMap<Format, Question> };

  constructor(reporter: HealthReporter, { paths, codes, details, page, clock, logger }: HandlerSettings<Request>) {
    this.paths = paths;
    this.#reporter = reporter;
    this.#codes = codes;
    this.#table = new PathTable(paths);
    this.#details = new DetailsGate(details, clock, logger);
    this.#page = page;
    this.#pageSpell = new Spell(logger, 'the page of the health handler');
    this.#spell = new Spell(logger, 'the reporter of the health handler');
    const reading = (kind: ReportKind) => new SharedReading(reporter, kind, clock);
    this.#readings = { status: reading('status'), liveness: reading('liveness'), readiness: reading('readiness') };
    const plain = (kind: ReportKind) => new Map(FORMATS.map((format) => [format, plainQuestion(kind, format)]));
    this.#plain = { status: plain('status'), liveness: plain('liveness'), readiness: plain('readiness') };
  }

  /** What a request target asks for; undefined where it is not ours. */
  match(target: string): Target | undefined {
    return this.#table.match(target);
  }

  /** Answers, perhaps later. Never throws, and nothing is left to reject. `request` is for the details policy. */
  answer(
    target: Target,
    method: string | undefined,
    accept: string | undefined,
    request: Request,
    deliver: Deliver,
  ): void {
    if (method !== 'GET' && method !== 'HEAD') {
      deliver(NOT_ALLOWED);
      return;
    }
    const query = parseQuery(target.query);
    if (this.#page !== undefined && target.kind === 'status' && target.entry === undefined) {
      const want = pageWant(query.format, accept);
      if (want !== undefined) {
        this.#show(this.#page, want, request as PolicyRequest, deliver);
        return;
      }
    }
    const format = query.format === undefined ? negotiate(accept) : formatNamed(query.format);
    if (format === undefined) {
      deliver(NOT_ACCEPTABLE);
      return;
    }
    // Asked before the report is read: nothing may be awaited between the report and its delivery.
    const details = this.#details.allows(request);
    if (typeof details === 'boolean') this.#read(this.#question(target, query, format, details), deliver);
    else void details.then((allowed) => this.#read(this.#question(target, query, format, allowed), deliver));
  }

  #show(page: ReportPage, want: PageWant, request: PolicyRequest, deliver: Deliver): void {
    const failed = (error: unknown): void => {
      this.#pageSpell.failed(error);
      deliver(PAGE_FAILED);
    };
    const take = (answer: unknown): void => {
      if (!isResponse(answer)) {
        failed(new TypeError('it gave no response'));
        return;
      }
      this.#pageSpell.fine();
      deliver(answer);
    };
    try {
      const answer: unknown = page.answer(want, request);
      if (isThenable(answer)) onSettled(answer, take, failed);
      else take(answer);
    } catch (error) {
      failed(error);
    }
  }

  #question({ kind, entry }: Target, { exclude, verbose }: Query, format: Format, details: boolean): Question {
    // The path of one entry leaves nothing to exclude.
    const left = entry === undefined ? exclude : [];
    const plain = entry === undefined && left.length === 0 && !verbose && !details;
    const known = plain ? this.#plain[kind].get(format) : undefined;
    return known ?? { kind, entry, exclude: left, verbose, format, details, kept: undefined };
  }

  #read(asked: Question, deliver: Deliver): void {
    const { kept } = asked;
    if (kept === undefined) this.#report(asked, deliver);
    else
      this.#readings[asked.kind].read({
        take: (reading) => deliver(this.#again(asked, kept, reading)),
        failed: (error) => deliver(this.#unavailable(asked, error)),
      });
  }

  #again(asked: Question, kept: KeptAnswer, reading: Reading): HealthResponse {
    try {
      const known = kept.for(reading.says);
      const response = known ?? this.#make(asked, undefined, reading.report);
      this.#spell.fine();
      if (known === undefined) kept.keep(reading.says, response);
      return response;
    } catch (error) {
      return this.#unavailable(asked, error);
    }
  }

  #report(asked: Question, deliver: Deliver): void {
    try {
      const names = this.#namesFor(asked);
      if (names !== undefined && asked.entry !== undefined && !names.includes(asked.entry)) {
        deliver(NOT_FOUND);
        return;
      }
      const report = this.#ask(asked, names !== undefined);
      if (!isThenable(report)) {
        deliver(this.#respond(asked, names, report));
        return;
      }
      onSettled(
        report,
        (value) => deliver(this.#respond(asked, names, value as HealthReport)),
        (error) => deliver(this.#unavailable(asked, error)),
      );
    } catch (error) {
      deliver(this.#unavailable(asked, error));
    }
  }

  /** The names of all entries, where the question needs them and the reporter tells them. */
  #namesFor({ kind, entry, exclude }: Question): readonly string[] | undefined {
    return entry === undefined && exclude.length === 0 ? undefined : this.#reporter.names?.(kind);
  }

  #ask({ kind, entry, exclude }: Question, selective: boolean): HealthReport | PromiseLike<HealthReport> {
    if (!selective) return this.#reporter[kind]();
    return this.#reporter[kind](entry === undefined ? { exclude } : { only: [entry] });
  }

  #respond(asked: Question, names: readonly string[] | undefined, report: HealthReport): HealthResponse {
    try {
      const response = this.#make(asked, names, report);
      this.#spell.fine();
      return response;
    } catch (error) {
      return this.#unavailable(asked, error);
    }
  }

  #make(asked: Question, names: readonly string[] | undefined, report: HealthReport): HealthResponse {
    const { entry, exclude } = asked;
    const shown = publish(report, asked.details, wantedBy(asked));
    if (entry !== undefined && shown.services.length === 0) return NOT_FOUND;
    const all = names ?? report.services.map(({ name }) => name);
    const listed = exclude.length === 0 ? undefined : listEntries(all, shown.services, exclude);
    return this.#render(asked, shown, listed);
  }

  #render({ kind, format, details, verbose }: Question, report: PublicReport, listed?: Listing): HealthResponse {
    const { overallHealthy, degraded, services } = report;
    const verdict = overallHealthy ? (degraded ? 'degraded' : 'healthy') : 'unhealthy';
    const body = format.body({ kind, report, details, verbose, listing: services, unmatched: [], ...listed });
    return makeResponse(this.#codes[verdict], format.contentType, body);
  }

  #unavailable(asked: Question, error: unknown): HealthResponse {
    this.#spell.failed(error);
    return this.#render(asked, UNAVAILABLE);
  }
}

function plainQuestion(kind: ReportKind, format: Format): Question {
  const kept = new KeptAnswer();
  return Object.freeze({ kind, entry: undefined, exclude: [], verbose: false, format, details: false, kept });
}

function wantedBy({ entry, exclude }: Question): Wanted | undefined {
  if (entry !== undefined) return (name) => name === entry;
  if (exclude.length === 0) return undefined;
  const excluded = new Set(exclude);
  return (name) => !excluded.has(name);
}
