/**
 * Why a {@link HealthControllerError} was thrown or used as an abort reason.
 *
 * Thrown: `invalid_option`, `duplicate_name`, `stopping`, `stopped`, `already_started`, `unknown_service`,
 * `unknown_child`, `unknown_dependency`, `dependency_cycle`, `not_running`, `restart_failed`.
 * Abort reasons of signals: `shutdown`, `restart`, `start_timeout`, `stop_timeout`, `timeout`.
 */
export type HealthControllerErrorCode =
  | 'already_started'
  | 'dependency_cycle'
  | 'duplicate_name'
  | 'invalid_option'
  | 'not_running'
  | 'restart'
  | 'restart_failed'
  | 'shutdown'
  | 'start_timeout'
  | 'stop_timeout'
  | 'stopped'
  | 'stopping'
  | 'timeout'
  | 'unknown_child'
  | 'unknown_dependency'
  | 'unknown_service';

/**
 * The one error class of this library. Recognise it by `code`, never by `instanceof`: two copies of the package
 * (one in ESM, one in CommonJS, say) must work together.
 */
export class HealthControllerError extends Error {
  override readonly name = 'HealthControllerError';
  readonly code: HealthControllerErrorCode;

  constructor(code: HealthControllerErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/**
 * Whether `value` is an error of this library, from whichever copy of it, and of the given code when one is given.
 * Never throws.
 */
export function isHealthControllerError(
  value: unknown,
  code?: HealthControllerErrorCode,
): value is HealthControllerError {
  try {
    if (typeof value !== 'object' || value === null) return false;
    const candidate = value as { name?: unknown; code?: unknown };
    if (candidate.name !== 'HealthControllerError' || typeof candidate.code !== 'string') return false;
    return code === undefined || candidate.code === code;
  } catch {
    return false;
  }
}
