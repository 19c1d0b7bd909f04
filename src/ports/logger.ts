/** One line, with fields. */
export type LogMethod = (message: string, fields?: Record<string, unknown>) => void;

/** Where the controller writes: one line per transition, none per healthy probe. */
export interface Logger {
  debug: LogMethod;
  info: LogMethod;
  warn: LogMethod;
  error: LogMethod;
}

const ignore: LogMethod = () => {};

/** Writes nothing: the default. */
export const silentLogger: Logger = Object.freeze({ debug: ignore, info: ignore, warn: ignore, error: ignore });

/** A logger whose faults harm nobody. */
export function safeLogger(logger: Logger): Logger {
  const guard =
    (level: keyof Logger): LogMethod =>
    (message, fields) => {
      try {
        logger[level](message, fields);
      } catch {
        // Nowhere is left to tell it.
      }
    };
  return { debug: guard('debug'), info: guard('info'), warn: guard('warn'), error: guard('error') };
}
