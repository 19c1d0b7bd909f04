import { describe, expect, it } from 'vitest';
import { readEngineError } from '../../../src/presets/instance/engine-fault.js';

const answered = (statusCode: number, json: unknown) =>
  Object.assign(new Error(`(HTTP code ${statusCode}) unexpected`), { statusCode, json });
const failed = (code: string) => Object.assign(new Error(`connect ${code} /run/docker.sock`), { code });

describe('a container is missing', () => {
  it.each([
    ['Docker', 'No such container: tool'],
    ['Podman', 'no container with name or ID "tool" found: no such container'],
  ])('only where the engine says so: %s', (_, message) => {
    expect(readEngineError(answered(404, { message }))).toEqual({ status: 'missing' });
  });
});

describe('"could not look" is unknown, never missing', () => {
  it.each<[string, unknown, string]>([
    ['a 404 of a proxy', answered(404, '<html>not found</html>'), 'engine_error'],
    ['a 404 for a path that the engine does not know', answered(404, { message: 'page not found' }), 'engine_error'],
    ['a 404 without a body', answered(404, undefined), 'engine_error'],
    ['an engine that has failed', answered(500, { message: 'no such container, or so' }), 'engine_error'],
    ['a proxy that forbids it', answered(403, { message: 'forbidden' }), 'engine_permission'],
    ['a proxy that wants a name', answered(401, {}), 'engine_permission'],
    ['a socket that may not be opened', failed('EACCES'), 'engine_permission'],
    ['a socket that is not there', failed('ENOENT'), 'engine_unreachable'],
    ['a socket that nobody listens to', failed('ECONNREFUSED'), 'engine_unreachable'],
    ['an engine that stops meanwhile', failed('ECONNRESET'), 'engine_unreachable'],
    ['a host that tries IPv6 and IPv4', new AggregateError([failed('ECONNREFUSED')]), 'engine_unreachable'],
    ['something unheard of', new Error('odd'), 'engine_error'],
    ['a value that is no error', 'odd', 'engine_error'],
    ['nothing at all', undefined, 'engine_error'],
  ])('%s', (_, error, reason) => {
    const seen = readEngineError(error);
    expect(seen).toMatchObject({ status: 'unknown', reason });
  });

  it('also where reading the error throws', () => {
    const error = {
      get statusCode(): number {
        throw new Error('no');
      },
    };
    expect(readEngineError(error)).toMatchObject({ status: 'unknown', reason: 'engine_error' });
  });

  it('and says in words what was tried', () => {
    expect(readEngineError(failed('EACCES'))).toMatchObject({
      message: 'the container engine may not be asked: connect EACCES /run/docker.sock',
    });
  });
});
