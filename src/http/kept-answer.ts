import type { HealthResponse } from './response.js';

/**
 * The last answer without details to one question in one format. Probes come every second and almost always find what
 * they found before: the bytes are made again only when a state, a reason or the list of names has changed.
 */
export class KeptAnswer {
  #says: object | undefined;
  #response: HealthResponse | undefined;

  /** The answer, where it is the one to a report that says this. */
  for(says: object): HealthResponse | undefined {
    return this.#says === says ? this.#response : undefined;
  }

  keep(says: object, response: HealthResponse): void {
    this.#says = says;
    this.#response = response;
  }
}
