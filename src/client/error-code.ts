/** ` (ECONNREFUSED)`: the code alone, since a message may hold the URL, with what is in it. Empty where there is none. */
export function codeOf(error: unknown): string {
  try {
    for (let at: unknown = error, depth = 0; typeof at === 'object' && at !== null && depth < 4; depth++) {
      const { code, cause } = at as { readonly code?: unknown; readonly cause?: unknown };
      if (typeof code === 'string' && /^[A-Z][A-Z0-9_]{1,60}$/.test(code)) return ` (${code})`;
      at = cause;
    }
  } catch {
    // Its getters throw: nothing is to be said of it.
  }
  return '';
}
