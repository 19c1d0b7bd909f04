import { readFileSync } from 'node:fs';
import {
  Controller,
  type ControllerOptions,
  type ServiceDescription,
  type ServiceInfo,
} from '../../../../src/index.js';
import { type ChildProcessOptions, childProcess } from '../../../../src/presets/index.js';
import { recordEvents } from '../../../../src/testing/index.js';
import { eventually } from '../../instance/support/eventually.js';

/** The code of a Node program as the command that runs it. */
export const node = (code: string): Pick<ChildProcessOptions, 'command' | 'args'> => ({
  command: process.execPath,
  args: ['-e', code],
});

/** Whether there is a process of this id that has not ended; one that has and was not reaped is `zombie`. */
export function stateOf(pid: number): 'alive' | 'zombie' | 'gone' {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return /^\d+ \(.*\) Z/s.test(stat) ? 'zombie' : 'alive';
  } catch {
    return 'gone';
  }
}

/** A process under a controller of its own, and all that it says. */
export class Worker {
  readonly controller: Controller;
  readonly #recorded: ReturnType<typeof recordEvents>;
  /** Lines of its standard output, and of its standard error after `! `. */
  readonly lines: string[] = [];

  constructor(options: ChildProcessOptions, more: ServiceDescription = {}, controllerOptions: ControllerOptions = {}) {
    this.controller = new Controller(controllerOptions);
    const logger = {
      debug: () => {},
      info: (line: string) => this.lines.push(line),
      warn: (line: string) => this.lines.push(`! ${line}`),
      error: () => {},
    };
    this.controller.register('worker', childProcess({ logger, ...options }), more);
    this.#recorded = recordEvents(this.controller);
    this.controller.start();
  }

  get info(): ServiceInfo {
    const info = this.controller.serviceInfo('worker');
    if (info === undefined) throw new Error('there is no worker');
    return info;
  }

  /** What became of the service. */
  get events(): string[] {
    return this.#recorded.lines
      .filter((line) => line.startsWith('service'))
      .map((line) => line.split(' ').slice(2).join(' '));
  }

  /** Waits for a line that the pattern finds, the nth of them. */
  async said(pattern: RegExp, nth = 1): Promise<string> {
    const lines = await eventually(
      () => this.lines.filter((line) => pattern.test(line)),
      (found) => found.length >= nth,
    );
    return lines[nth - 1] ?? '';
  }

  /** The process id that it said after `word`. */
  async pid(word = 'pid', nth = 1): Promise<number> {
    return Number((await this.said(new RegExp(`^${word} \\d+$`), nth)).split(' ')[1]);
  }

  async told(event: string, nth = 1): Promise<void> {
    await eventually(
      () => this.events.filter((line) => line.startsWith(event)).length,
      (count) => count >= nth,
    );
  }
}
