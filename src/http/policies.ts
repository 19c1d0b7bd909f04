import { invalidOption } from '../kit.js';

/** What the ready-made policies read of a request: of Node, Express, Fastify, or with `Headers` of fetch. */
export interface PolicyRequest {
  readonly headers: { get(name: string): string | null } | { readonly [name: string]: string | string[] | undefined };
  readonly socket?: { readonly remoteAddress?: string | undefined } | null | undefined;
}

/** Headers by which a proxy says that it speaks for somebody else. */
const FORWARDING = ['forwarded', 'x-forwarded-for', 'x-real-ip', 'via'];

const LOOPBACK = /^(?:::1|(?:::ffff:)?127\.\d{1,3}\.\d{1,3}\.\d{1,3})$/i;

/**
 * A details policy: yes for who connects from this machine itself, as `kubectl port-forward` and `docker exec` do. No
 * where a header says that a proxy stands between, and no where the request does not show its socket, as with fetch.
 * A proxy on the same machine that sends none of these headers cannot be told apart: do not use this behind one.
 */
export function fromLoopback(): (request: PolicyRequest) => boolean {
  return (request) => {
    if (FORWARDING.some((name) => headerOf(request, name) !== undefined)) return false;
    return LOOPBACK.test(request.socket?.remoteAddress ?? '');
  };
}

const TOKEN = /^[A-Za-z0-9._~+/-]+=*$/;

/**
 * A details policy: yes for who sends `Authorization: Bearer <secret>` with one of these secrets. Compares in a time
 * that does not tell how much of one was right. Use long random ones.
 * @throws HealthControllerError `invalid_option`
 */
export function bearerToken(...secrets: readonly [string, ...string[]]): (request: PolicyRequest) => boolean {
  const given: readonly unknown[] = secrets;
  if (given.length === 0) throw invalidOption('bearerToken()', 'one secret at least', undefined);
  for (const secret of given) {
    if (typeof secret === 'string' && TOKEN.test(secret)) continue;
    // Not shown: it may be a real one with a stray character.
    throw invalidOption(
      'bearerToken()',
      "secrets of letters, digits and . _ ~ + / - with = at the end (RFC 6750's b64token)",
      typeof secret,
    );
  }
  return (request) => {
    const token = /^bearer +([^ ]+) *$/i.exec(headerOf(request, 'authorization') ?? '')?.[1] ?? '';
    let right = false;
    // Every one is compared, whichever was right.
    for (const secret of secrets) right = isEqual(token, secret) || right;
    return right;
  };
}

/** Takes as long for a first character that is wrong as for the last one; only the length of `given` shows. */
function isEqual(given: string, secret: string): boolean {
  let difference = given.length ^ secret.length;
  for (let i = 0; i < given.length; i++) difference |= given.charCodeAt(i) ^ secret.charCodeAt(i % secret.length);
  return difference === 0;
}

function headerOf({ headers }: PolicyRequest, name: string): string | undefined {
  // A header of Node may be called `get`, but is no function.
  if ('get' in headers && typeof headers.get === 'function') return headers.get(name) ?? undefined;
  const value = (headers as { readonly [name: string]: string | string[] | undefined })[name];
  return Array.isArray(value) ? value.join(',') : value;
}
