import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import type { Clock } from '../../index.js';

const LINE_MAX = 4096;
const LINES_A_SECOND = 200;

/** Cuts a stream into lines, each bounded, and so many a second: a process that floods must not take this one along. */
export class OutputLines {
  readonly #clock: Clock;
  readonly #write: (line: string) => void;
  #rest = '';
  #cutting = false;
  #secondFrom = Number.NEGATIVE_INFINITY;
  #written = 0;
  #dropped = 0;

  constructor(stream: Readable, clock: Clock, write: (line: string) => void) {
    this.#clock = clock;
    this.#write = write;
    const decoder = new StringDecoder('utf8');
    stream.on('data', (chunk: Buffer) => this.#take(decoder.write(chunk)));
    stream.on('end', () => this.#end());
    // A pipe that breaks is the end of its output, not a fault of ours.
    stream.on('error', () => this.#end());
  }

  #take(text: string): void {
    const parts = (this.#rest + text).split('\n');
    this.#rest = parts.pop() ?? '';
    for (const part of parts) {
      if (this.#cutting) this.#cutting = false;
      else this.#line(part);
    }
    if (this.#rest.length <= LINE_MAX) return;
    if (!this.#cutting) this.#line(this.#rest);
    this.#cutting = true;
    this.#rest = '';
  }

  #end(): void {
    if (this.#rest !== '' && !this.#cutting) this.#line(this.#rest);
    this.#rest = '';
    this.#tellDropped();
  }

  #line(text: string): void {
    const now = this.#clock.now();
    if (now - this.#secondFrom >= 1000) {
      this.#tellDropped();
      this.#secondFrom = now;
      this.#written = 0;
    }
    if (this.#written >= LINES_A_SECOND) {
      this.#dropped++;
      return;
    }
    this.#written++;
    const line = text.endsWith('\r') ? text.slice(0, -1) : text;
    this.#write(line.length > LINE_MAX ? `${line.slice(0, LINE_MAX)}…` : line);
  }

  #tellDropped(): void {
    if (this.#dropped > 0) this.#write(`(${this.#dropped} more lines in that second)`);
    this.#dropped = 0;
  }
}
