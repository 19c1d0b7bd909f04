/** A stream of bytes: of a `ReadableStream`, as far as it is used here. */
interface Body {
  getReader(): {
    read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>;
    cancel(): Promise<unknown>;
  };
}

interface Answer {
  readonly body?: Body | null | undefined;
  text?(): Promise<string>;
}

/**
 * The text of an answer; undefined where it is longer than the limit, of which no more than that and one piece is ever
 * held. An answer without a stream is asked for its text. Rejects as reading it does.
 */
export async function readBody(answer: Answer, maxBytes: number): Promise<string | undefined> {
  const { body } = answer;
  if (body === null || body === undefined) {
    const text = typeof answer.text === 'function' ? await answer.text() : '';
    // As characters, which in UTF-8 are never fewer bytes.
    return text.length > maxBytes ? undefined : text;
  }
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
    bytes += piece.value?.byteLength ?? 0;
    if (bytes > maxBytes) {
      await reader.cancel().catch(() => {});
      return undefined;
    }
    text += decoder.decode(piece.value, { stream: true });
  }
  return text + decoder.decode();
}

/** Leaves an answer unread. It would hold on to its connection otherwise. */
export async function discardBody({ body }: Answer): Promise<void> {
  await body
    ?.getReader()
    .cancel()
    .catch(() => {});
}
