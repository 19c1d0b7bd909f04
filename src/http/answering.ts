import type { Deliver } from './respond.js';

/** What recognises request targets and answers them: shells for every framework are made of it. */
export interface Answering<Request, Match> {
  /** What a request target asks for; undefined where it is not ours. */
  match(target: string): Match | undefined;
  /** Answers, perhaps later. Never throws, and nothing is left to reject. `request` is as policies see it. */
  answer(
    match: Match,
    method: string | undefined,
    accept: string | undefined,
    request: Request,
    deliver: Deliver,
  ): void;
}
