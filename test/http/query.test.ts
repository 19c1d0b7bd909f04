import { expect, it } from 'vitest';
import { NO_QUERY, parseQuery } from '../../src/http/query.js';

it.each([
  ['', {}],
  ['x=1', {}],
  ['verbose', { verbose: true }],
  ['verbose=', { verbose: true }],
  // As in the Kubernetes API server: being there is enough.
  ['verbose=false', { verbose: true }],
  ['VERBOSE', {}],
  ['exclude=a&exclude=b&exclude=a', { exclude: ['a', 'b'] }],
  ['exclude=a,b', { exclude: ['a,b'] }],
  ['exclude=a+b%2Bc', { exclude: ['a b+c'] }],
  ['exclude=a=b', { exclude: ['a=b'] }],
  ['exclude', { exclude: [''] }],
  ['exclude=%E0%A4', { exclude: ['%E0%A4'] }],
  ['%65xclude=a', { exclude: ['a'] }],
  ['format=text', { format: 'text' }],
  ['format=health+json', { format: 'health+json' }],
  ['format=health%2Bjson', { format: 'health+json' }],
  ['format=a&format=b', { format: 'a' }],
  ['format', { format: '' }],
  ['&&=&=x&', {}],
  ['__proto__=1&constructor=2', {}],
])('%j asks for %j', (query, expected) => {
  expect(parseQuery(query)).toEqual({ ...NO_QUERY, ...expected });
});
