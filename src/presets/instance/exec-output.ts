const HEADER_BYTES = 8;
const STDERR = 2;
/** Of each stream, enough for what a probe has to say. */
const CAP_BYTES = 4096;

/** The beginning of a text that may be endless. */
class CappedText {
  readonly #chunks: Uint8Array[] = [];
  #size = 0;
  #cut = false;

  push(bytes: Uint8Array): void {
    const room = CAP_BYTES - this.#size;
    if (bytes.length > room) this.#cut = true;
    if (room === 0) return;
    const kept = bytes.slice(0, room);
    this.#chunks.push(kept);
    this.#size += kept.length;
  }

  toString(): string {
    const decoder = new TextDecoder();
    const text = this.#chunks.map((chunk) => decoder.decode(chunk, { stream: true })).join('');
    return this.#cut ? `${text}…` : text + decoder.decode();
  }
}

/**
 * Takes the output of a command apart as the Engine API sends it: frames of a header (stream, three zeros, length in
 * four bytes) and a payload, cut anywhere. What does not begin with a header is one unframed stream, as some engines
 * send. Keeps the first 4 KiB of each stream and drops the rest.
 */
export class ExecOutput {
  readonly #stdout = new CappedText();
  readonly #stderr = new CappedText();
  #header = new Uint8Array(0);
  #target = this.#stdout;
  #left = 0;
  #form: 'unknown' | 'framed' | 'plain' | 'lost' = 'unknown';

  get stdout(): string {
    return this.#stdout.toString();
  }

  get stderr(): string {
    return this.#stderr.toString();
  }

  push(chunk: Uint8Array): void {
    let rest = chunk;
    while (rest.length > 0 && this.#form !== 'lost') {
      if (this.#form === 'plain') this.#left = rest.length;
      if (this.#left > 0) {
        this.#target.push(rest.subarray(0, this.#left));
        const taken = Math.min(this.#left, rest.length);
        this.#left -= taken;
        rest = rest.subarray(taken);
      } else {
        rest = this.#readHeader(rest);
      }
    }
  }

  #readHeader(bytes: Uint8Array): Uint8Array {
    const missing = HEADER_BYTES - this.#header.length;
    const header = new Uint8Array([...this.#header, ...bytes.subarray(0, missing)]);
    if (!beginsFrame(header)) {
      // After a good frame there is no telling where the next one begins.
      this.#form = this.#form === 'framed' ? 'lost' : 'plain';
      this.#header = new Uint8Array(0);
      if (this.#form === 'plain') this.#stdout.push(header);
    } else if (header.length < HEADER_BYTES) {
      this.#header = header;
    } else {
      this.#form = 'framed';
      this.#header = new Uint8Array(0);
      this.#target = header[0] === STDERR ? this.#stderr : this.#stdout;
      this.#left = new DataView(header.buffer).getUint32(4);
    }
    return bytes.subarray(missing);
  }
}

function beginsFrame(header: Uint8Array): boolean {
  return header.subarray(0, 4).every((byte, index) => (index === 0 ? byte <= STDERR : byte === 0));
}
