import { mayRecreate, type RecreateRules, type TunnelRecord } from './recreate.js';

/** The recent looks at a tunnel, and whether somebody was told that it is broken. */
export class TunnelSpell {
  readonly #rules: RecreateRules;
  readonly #apartMs: number;
  #records: TunnelRecord[] = [];
  #lastRecreatedAt: number | undefined;
  #told = false;

  /** Tunnel errors nearer together than `apartMs` are one: many callers at once must not make a row. */
  constructor(rules: RecreateRules, apartMs: number) {
    this.#rules = rules;
    this.#apartMs = apartMs;
  }

  /** It is another tunnel now. */
  renewed(now: number): void {
    this.#records = [];
    this.#lastRecreatedAt = now;
    this.#told = false;
  }

  /** Takes down one look; true: now is the time to tell. */
  note(record: TunnelRecord): boolean {
    const last = this.#records.at(-1);
    const again = record.tunnel === 'tunnel_error' && last?.tunnel === 'tunnel_error';
    if (again && record.at - last.at < this.#apartMs) return false;
    this.#records = [...this.#records, record].slice(-this.#rules.failures);
    if (record.tunnel !== 'tunnel_error' && record.tunnel !== 'unknown') this.#told = false;
    const history = { records: this.#records, lastRecreatedAt: this.#lastRecreatedAt };
    if (this.#told || !mayRecreate(history, this.#rules)) return false;
    this.#told = true;
    this.#lastRecreatedAt = record.at;
    return true;
  }
}
