import { describe, expect, it } from 'vitest';
import { readArguments } from '../../src/cli/arguments.js';

const read = (text: string) => readArguments(text === '' ? [] : text.split(' '));
const URL_ = 'http://127.0.0.1:8080/readyz';

describe('a probe', () => {
  it('has defaults', () => {
    expect(read(`probe ${URL_}`)).toEqual({
      do: 'probe',
      request: { url: new URL(URL_), timeoutMs: 5000, expected: [{ from: 200, to: 299 }], headers: [] },
    });
  });

  it.each([
    [`probe ${URL_} --timeout 900`, { timeoutMs: 900 }],
    [`probe --timeout=1 ${URL_}`, { timeoutMs: 1 }],
    [`--timeout 2147483647 probe ${URL_}`, { timeoutMs: 2_147_483_647 }],
    [`probe ${URL_} --expect 204`, { expected: [{ from: 204, to: 204 }] }],
    [
      `probe ${URL_} --expect 200,301-302,401`,
      {
        expected: [
          { from: 200, to: 200 },
          { from: 301, to: 302 },
          { from: 401, to: 401 },
        ],
      },
    ],
    [`probe ${URL_} --header Host:internal.local`, { headers: [['Host', 'internal.local']] }],
    [
      `probe ${URL_} --header=A:b --header X-C:d:e`,
      {
        headers: [
          ['A', 'b'],
          ['X-C', 'd:e'],
        ],
      },
    ],
  ])('%s', (text, expected) => {
    expect(read(text)).toMatchObject({ do: 'probe', request: expected });
  });

  it('takes a header with spaces as a shell passes it', () => {
    const command = readArguments(['probe', URL_, '--header', 'Accept:  text/plain, */* ']);
    expect(command).toMatchObject({ request: { headers: [['Accept', 'text/plain, */*']] } });
  });
});

it.each(['--help', '-h', 'probe --help', `probe ${URL_} -h`])('%s asks for help', (text) => {
  expect(read(text)).toEqual({ do: 'help' });
});

describe('wrong usage', () => {
  it.each([
    ['', 'expected the command "probe", got nothing'],
    ['check http://x', 'expected the command "probe", got "check"'],
    ['http://user:secret@x', 'expected the command "probe", got a URL'],
    ['probe', 'expected one URL, got 0 arguments'],
    ['probe http://a http://b', 'expected one URL, got 2 arguments'],
    ['probe localhost:8080', 'expected a URL that begins with http:// or https://'],
    ['probe /readyz', 'expected a URL that begins with http:// or https://'],
    ['probe ftp://user:secret@x', 'expected a URL that begins with http:// or https://'],
    ['probe http://', 'expected a URL that begins with http:// or https://'],
    ['probe http://x --timeout 0', '--timeout: expected milliseconds from 1 to 2147483647, got "0"'],
    ['probe http://x --timeout 1s', '--timeout: expected milliseconds from 1 to 2147483647, got "1s"'],
    ['probe http://x --timeout=-1', '--timeout: expected milliseconds from 1 to 2147483647, got "-1"'],
    ['probe http://x --timeout 2147483648', '--timeout: expected milliseconds from 1 to 2147483647, got "2147483648"'],
    ['probe http://x --expect ok', '--expect: expected codes and ranges such as 200,204 or 200-399, got "ok"'],
    [
      'probe http://x --expect 299-200',
      '--expect: expected codes and ranges such as 200,204 or 200-399, got "299-200"',
    ],
    ['probe http://x --expect 200,', '--expect: expected codes and ranges such as 200,204 or 200-399, got "200,"'],
    ['probe http://x --expect 099', '--expect: expected codes and ranges such as 200,204 or 200-399, got "099"'],
    ['probe http://x --header token', '--header: expected a header such as "Host: internal.local"'],
    ['probe http://x --header :token', '--header: expected a header such as "Host: internal.local"'],
    ['probe http://x --header A\u0000:b', '--header: expected a header such as "Host: internal.local"'],
  ])('%j', (text, why) => {
    expect(read(text)).toEqual({ do: 'usage', why });
  });

  it.each(['probe http://x --retries 3', 'probe http://x --timeout', 'probe http://x --help=yes'])('%s', (text) => {
    expect(read(text)).toMatchObject({ do: 'usage', why: expect.stringMatching(/^[^\n]+$/) });
  });

  it('of a header injects none', () => {
    const command = readArguments(['probe', URL_, '--header', 'A: b\r\nX-Injected: 1']);
    expect(command).toMatchObject({ do: 'usage' });
  });
});
