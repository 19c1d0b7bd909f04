import { DetailsGate } from '../http/details.js';
import { PathTable, type Target } from '../http/paths.js';
import type { PolicyRequest } from '../http/policies.js';
import { parseQuery } from '../http/query.js';
import { type PageWant, type ReportPage, wantNamed } from '../http/report-page.js';
import type { Deliver } from '../http/respond.js';
import { type HealthResponse, makeResponse, makeStream, NOT_ALLOWED, NOT_FOUND } from '../http/response.js';
import type { Board } from './board.js';
import { documentResponse, PRIVATE } from './document.js';
import type { EventStreams } from './event-streams.js';
import type { StatusPageSettings } from './options.js';
import type { Renderings } from './rendering.js';

const PLAIN_TEXT = 'text/plain; charset=utf-8';
const NO_ROOM = makeResponse(503, PLAIN_TEXT, 'no more streams\n', { 'Retry-After': '30', ...PRIVATE });
const NO_FORMAT = makeResponse(406, PLAIN_TEXT, 'there are the formats html, events and state\n');

/** What a page answers, wherever it is mounted. */
export class PageAnswers implements ReportPage {
  readonly #board: Board;
  readonly #renderings: Renderings;
  readonly #streams: EventStreams;
  readonly #settings: StatusPageSettings;
  readonly #details: DetailsGate<PolicyRequest>;

  constructor(board: Board, renderings: Renderings, streams: EventStreams, settings: StatusPageSettings) {
    this.#board = board;
    this.#renderings = renderings;
    this.#streams = streams;
    this.#settings = settings;
    this.#details = new DetailsGate(settings.details, settings.clock, settings.logger);
  }

  /** Answers a GET or a HEAD. Never rejects. */
  async answer(want: PageWant, request: PolicyRequest): Promise<HealthResponse> {
    const details = await this.#details.allows(request);
    if (want === 'events') {
      if (!this.#streams.hasRoom) return NO_ROOM;
      return makeStream((sink) => this.#streams.open(sink, details), PRIVATE);
    }
    await this.#board.refresh();
    const { clock, title, refreshIntervalMs } = this.#settings;
    const rendering = this.#renderings.of(details);
    const now = clock.now();
    if (want === 'state') return makeResponse(200, 'application/json; charset=utf-8', rendering.json(now), PRIVATE);
    const { html } = rendering;
    return documentResponse({
      title: rendering.title,
      heading: title,
      html,
      ageMs: rendering.ageMs(now),
      refreshIntervalMs,
    });
  }
}

/** The page at a path of its own, and what lies below it: nothing of it falls through. */
export class PageResponder {
  readonly #answers: PageAnswers;
  readonly #table: PathTable;

  constructor(answers: PageAnswers, path: string) {
    this.#answers = answers;
    this.#table = new PathTable({ liveness: false, readiness: false, status: path });
  }

  match(target: string): Target | undefined {
    return this.#table.match(target);
  }

  /** Answers, perhaps later. Never throws, and nothing is left to reject. */
  answer(
    { entry, query }: Target,
    method: string | undefined,
    _accept: string | undefined,
    request: PolicyRequest,
    deliver: Deliver,
  ): void {
    const { format } = parseQuery(query);
    const want = entry === undefined ? (format === undefined ? 'html' : wantNamed(format)) : wantBelow(entry);
    if (method !== 'GET' && method !== 'HEAD') deliver(NOT_ALLOWED);
    else if (want === undefined) deliver(entry === undefined ? NO_FORMAT : NOT_FOUND);
    else void this.#answers.answer(want, request).then(deliver);
  }
}

function wantBelow(entry: string): PageWant | undefined {
  return entry === 'events' || entry === 'state' ? entry : undefined;
}
