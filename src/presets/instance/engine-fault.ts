import { clip, errorText, isErrorLike, printable } from '../../kit.js';
import type { EngineFault, MissingContainer, UnknownContainer } from './container.js';
import { codesOf } from './error-codes.js';

const UNREACHABLE = new Set([
  'ENOENT',
  'ENOTDIR',
  'ENOTSOCK',
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
]);

/**
 * What a failed question about a container means. Only an engine that answers so makes it missing: a 404 of a proxy, or
 * for a path that it does not know, says nothing about the container.
 */
export function readEngineError(error: unknown): MissingContainer | UnknownContainer {
  const status = field(error, 'statusCode');
  const message = clip(isErrorLike(error) ? errorText(error) : printable(error), 300).trim();
  if (status === 404 && /no (such )?container/i.test(engineMessage(error))) return { status: 'missing' };
  if (status === 401 || status === 403) return couldNotLook('engine_permission', message);
  if (typeof status === 'number') return couldNotLook('engine_error', message);
  for (const code of codesOf(error)) {
    if (code === 'EACCES' || code === 'EPERM') return couldNotLook('engine_permission', message);
    if (UNREACHABLE.has(code)) return couldNotLook('engine_unreachable', message);
  }
  return couldNotLook('engine_error', message);
}

const SENTENCES: Readonly<Record<EngineFault, string>> = {
  engine_unreachable: 'the container engine cannot be reached',
  engine_timeout: 'the container engine does not answer',
  engine_permission: 'the container engine may not be asked',
  engine_error: 'the container engine answered with an error',
  client_missing: 'the package dockerode cannot be loaded (npm install dockerode)',
};

export function couldNotLook(reason: EngineFault, detail?: string): UnknownContainer {
  const sentence = SENTENCES[reason];
  return { status: 'unknown', reason, message: detail === undefined ? sentence : `${sentence}: ${detail}` };
}

function engineMessage(error: unknown): string {
  const message = field(field(error, 'json'), 'message');
  return typeof message === 'string' ? message : '';
}

function field(value: unknown, key: string): unknown {
  try {
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined;
  } catch {
    return undefined;
  }
}
