import { maskValue } from '../../http/masking.js';
import type { JsonValue } from '../../index.js';
import type { GatewaySnapshot } from '../../wire/gateway.js';
import type { Fault, Judged } from './fault.js';

/** Ready, but a backup is not restored, or it is not known whether: why, and for how long. */
export interface Restoring {
  readonly fault: Fault;
  readonly forMs: number;
}

/** One observation of a gateway, and how it is sent. However many it is sent to, each text is made once. */
export class Observation {
  readonly snapshot: GatewaySnapshot;
  readonly readiness: Judged;
  readonly restoring: Restoring | undefined;
  readonly #published: GatewaySnapshot;
  readonly #texts: { -readonly [Details in 'with' | 'without']?: string } = {};

  /** `published` is the snapshot without any text from outside. */
  constructor(
    snapshot: GatewaySnapshot,
    published: GatewaySnapshot,
    readiness: Judged,
    restoring: Restoring | undefined,
  ) {
    this.snapshot = snapshot;
    this.#published = published;
    this.readiness = readiness;
    this.restoring = restoring;
  }

  /** As JSON. Credentials in URLs are masked for all. */
  text(details: boolean): string {
    if (!details) {
      this.#texts.without ??= JSON.stringify(this.#published);
      return this.#texts.without;
    }
    this.#texts.with ??= JSON.stringify(maskValue(this.snapshot as unknown as JsonValue));
    return this.#texts.with;
  }
}
