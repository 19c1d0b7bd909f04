import { clip, errorText, isErrorLike, printable } from '../../kit.js';
import type { ProbeResult } from '../../wire/gateway.js';

/** Why a probe is not ok. */
export interface Fault {
  readonly status: 'failure' | 'unknown';
  /** A short code that is safe to publish. */
  readonly reason: string;
  /** A sentence of ours: nothing that came from outside is in it, so it is safe to publish. */
  readonly summary: string;
  /** What came from outside. */
  readonly detail?: string | undefined;
}

/** One answer of a probe, as it is kept and as it may be published. */
export interface Judged {
  readonly result: ProbeResult;
  /** The same without any text from outside. */
  readonly published: ProbeResult;
  readonly fault: Fault | undefined;
}

export function passed(latencyMs: number): Judged {
  const result: ProbeResult = Object.freeze({ ok: true, status: 'success', latencyMs });
  return { result, published: result, fault: undefined };
}

export function failed(latencyMs: number, fault: Fault): Judged {
  const { status, summary } = fault;
  const published: ProbeResult = Object.freeze({ ok: false, status, latencyMs, error: summary });
  const text = faultText(fault);
  const result = text === summary ? published : Object.freeze({ ...published, error: text });
  return { result, published, fault };
}

export function faultText({ summary, detail }: Fault): string {
  return detail === undefined ? summary : `${summary}: ${detail}`;
}

/** Whatever was thrown, as a text: of an error that stands for several, all of theirs. */
export function thrownText(thrown: unknown): string {
  try {
    const errors = (thrown as { errors?: unknown } | null | undefined)?.errors;
    if (Array.isArray(errors) && errors.length > 0) return clip(errors.slice(0, 4).map(thrownText).join('; '));
  } catch {
    // Its own text has to do.
  }
  return isErrorLike(thrown) ? errorText(thrown) : printable(thrown);
}

/** The code of an error, or of the first of its causes that has one. */
export function codeOf(thrown: unknown): string | undefined {
  try {
    let error: unknown = thrown;
    for (let depth = 0; depth < 5 && typeof error === 'object' && error !== null; depth++) {
      const { code, cause, errors } = error as { code?: unknown; cause?: unknown; errors?: unknown };
      if (typeof code === 'string') return code;
      error = cause ?? (Array.isArray(errors) ? errors[0] : undefined);
    }
  } catch {
    // An error that cannot be read has none.
  }
  return undefined;
}
