import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { maskCredentials, maskValue } from '../../src/http/masking.js';

it.each([
  ['nothing to hide', 'nothing to hide'],
  ['connect ECONNREFUSED 10.0.0.5:5432', 'connect ECONNREFUSED 10.0.0.5:5432'],
  ['GET http://host:8080/a?b=c failed', 'GET http://host:8080/a?b=c failed'],
  ['at http://[::1]:8080/', 'at http://[::1]:8080/'],
  ['mail to a@b.example about https://host/path', 'mail to a@b.example about https://host/path'],
  ['postgres://app:s3cret@10.0.0.5:5432/db', 'postgres://***@10.0.0.5:5432/db'],
  ['"redis://:s3cret@cache:6379"', '"redis://***@cache:6379"'],
  ['https://s3cret@host/x', 'https://***@host/x'],
  ['mongodb+srv://u:s3cret@h1:27017,h2:27017/db?w=1', 'mongodb+srv://***@h1:27017,h2:27017/db?w=1'],
  ['a amqp://u:s3cret@h b mqtt://v:s3cret@i c', 'a amqp://***@h b mqtt://***@i c'],
  ['postgres://app:s3@c/ret@host/db', 'postgres://***@host/db'],
  ['postgres://app:12/s3cret@host/db', 'postgres://***@host/db'],
  // What should have been encoded.
  ['postgres://app:s3c@ret@host/db', 'postgres://***@host/db'],
  ['postgres://app:s3/cr#et?@host/db', 'postgres://***@host/db'],
  ['postgres://app:"s3cret@host/db', 'postgres://***@host/db'],
  // Two in one word cannot be told apart from one with an odd password.
  ['u://a:s3cret@h,v://b:s3cret@i', 'u://***@i'],
  // What was cut off before its @.
  ['postgres://app:s3cr…', 'postgres://***'],
  ['postgres://app:12345…', 'postgres://***'],
  ['https://host/x?access_token=s3cret&y=1', 'https://host/x?access_token=***&y=1'],
  ['s3://b/k?X-Amz-Signature=s3cret&X-Amz-Date=2020', 's3://b/k?X-Amz-Signature=***&X-Amz-Date=2020'],
  ['jdbc:mysql://host/db?user=a&password=s3cret', 'jdbc:mysql://host/db?user=a&password=***'],
  ['jdbc:sqlserver://host;user=a;password=s3cret;x=y', 'jdbc:sqlserver://host;user=a;password=***;x=y'],
])('%s is shown as %s', (text, shown) => {
  expect(maskCredentials(text)).toBe(shown);
});

it('masks texts wherever they are in a value, and leaves the rest as it is', () => {
  const url = 'http://u:s3cret@h';
  const value = { a: [url, 1, null, { b: url }], [url]: true, ['__proto__']: url };
  const masked = JSON.stringify(maskValue(value));
  expect(masked).toBe(
    '{"a":["http://***@h",1,null,{"b":"http://***@h"}],"http://***@h":true,"__proto__":"http://***@h"}',
  );
});

describe('whatever stands around it', () => {
  const word = fc.string({ unit: fc.constantFrom(...'ab1:/?#@.,-_%&=é'), maxLength: 12 });

  it('a password before the last @ of its word never shows', () => {
    fc.assert(
      fc.property(word, word, word, (before, user, after) => {
        const text = `${before} x://${user}:s3cret@host/${after.replaceAll('@', '')} ${after}`;
        expect(maskCredentials(text)).not.toContain('s3cret');
      }),
    );
  });

  it('a text of any length takes time in proportion', () => {
    for (const piece of ['://', 'a://a:b', 'a://u:', '@', '?token', '?a.password', ':', 'a']) {
      const text = piece.repeat(50_000);
      const began = performance.now();
      maskCredentials(text);
      expect([piece, performance.now() - began < 1000]).toEqual([piece, true]);
    }
  });
});
