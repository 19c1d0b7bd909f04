import { HELP, readArguments, USAGE } from './arguments.js';
import { probe } from './probe.js';

/** How the process is to end. */
export interface Result {
  readonly exitCode: 0 | 1 | 2;
  /** One line, or the help, for the standard output. */
  readonly output?: string;
  /** One line for the standard error. */
  readonly complaint?: string;
}

/** Runs a command line, without the names of the runtime and the script. Never rejects. */
export async function run(given: readonly string[]): Promise<Result> {
  const command = readArguments(given);
  if (command.do === 'help') return { exitCode: 0, output: HELP };
  if (command.do === 'usage') return { exitCode: 2, complaint: `health-controller: ${command.why}. Usage: ${USAGE}` };
  const { healthy, text } = await probe(command.request);
  return { exitCode: healthy ? 0 : 1, output: `${healthy ? 'healthy' : 'unhealthy'}: ${text}` };
}
