import type { ServiceInfo, StartContext } from '../../../src/index.js';
import { Deferred } from '../../controller/support/deferred.js';
import type { Stage } from '../../controller/support/stage.js';

/** A start that fails at once, each time. */
export const failing = (): Promise<never> => Promise.reject(new Error('no port'));

/** Calls that come one after the other; the last one goes for all that follow. */
export function inTurn<Context = StartContext>(
  ...starts: readonly ((context: Context) => unknown)[]
): (context: Context) => unknown {
  let call = 0;
  return (context) => starts[Math.min(call++, starts.length - 1)]?.(context);
}

/** The runs of a service, each of which a test ends as it likes. */
export class Runs {
  readonly contexts: StartContext[] = [];
  readonly #ends: Deferred[] = [];

  readonly start = (context: StartContext): Promise<void> => {
    const end = new Deferred();
    this.contexts.push(context);
    this.#ends.push(end);
    return end.promise;
  };

  get count(): number {
    return this.contexts.length;
  }

  get last(): StartContext {
    const context = this.contexts.at(-1);
    if (context === undefined) throw new Error('it has not been started');
    return context;
  }

  resolve(run = this.count): void {
    this.#end(run).resolve();
  }

  reject(error: unknown = new Error('lost'), run = this.count): void {
    this.#end(run).reject(error);
  }

  #end(run: number): Deferred {
    const end = this.#ends[run - 1];
    if (end === undefined) throw new Error(`there is no run ${run}`);
    return end;
  }
}

/** What is known of a service that must be there. */
export function infoOf(stage: Stage, name = 'api'): ServiceInfo {
  const info = stage.controller.serviceInfo(name);
  if (info === undefined) throw new Error(`there is no service ${name}`);
  return info;
}

/** The whole life of a service: its calls and events with their times. */
export const life = (stage: Stage, name = 'api'): string[] =>
  stage.timeline(new RegExp(`^((start|stop|abort) ${name}|${name} )`));
