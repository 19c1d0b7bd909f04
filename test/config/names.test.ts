import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Controller } from '../../src/index.js';
import { expectRefusal, thrownBy } from './support/refusal.js';

const check = () => true;
const register = (name: unknown) => new Controller().register(name as string);
const registerCheck = (name: unknown) => new Controller().registerCheck({ name: name as string, check });

// Case 28: a name that is none must be refused where it is given, not blow up where it is reported.
describe('a name', () => {
  it.each<[string, unknown]>([
    ['undefined', undefined],
    ['null', null],
    ['a number', 5],
    ['a symbol', Symbol('s')],
    ['an object with a toString', { toString: () => 'db' }],
    ['a String object', Object('db')],
    ['empty', ''],
    ['longer than 256 characters', 'x'.repeat(257)],
    ['of 10 kB', 'x'.repeat(10_240)],
    ['with a line feed', 'a\nb'],
    ['with a carriage return', 'a\rb'],
    ['with a tab', 'a\tb'],
    ['with a NUL', 'a\u0000b'],
    ['with an escape', '\u001b[31mred'],
    ['with a delete', 'a\u007fb'],
    ['with a C1 control', 'a\u0085b'],
  ])('that is %s is refused', (_what, name) => {
    for (const give of [register, registerCheck]) expectRefusal(() => give(name), /name|register/, '1 to 256');
  });

  it.each(['db', ' ', 'x'.repeat(256), 'Größe', '数据库', '🚑', 'a/b?c#d', 'a.b', '"', '%', '..', '0'])(
    'may be %j',
    (name) => {
      for (const give of [register, registerCheck]) expect(thrownBy(() => give(name))).toBeUndefined();
    },
  );

  const DANGEROUS = [
    '__proto__',
    'constructor',
    'prototype',
    'toString',
    'hasOwnProperty',
    'then',
    'valueOf',
    'toJSON',
  ];

  it('may be what is special to JavaScript, which then is a plain name', async () => {
    const controller = new Controller();
    for (const [index, name] of DANGEROUS.entries()) {
      if (index % 2 === 0) controller.register(name, { status: () => false });
      else controller.registerCheck({ name, check: () => false, type: 'both' });
    }
    controller.start();
    for (const kind of ['status', 'liveness', 'readiness'] as const) {
      const report = await controller[kind]();
      expect(report.services.map(({ name }) => name).sort()).toEqual([...DANGEROUS].sort());
      expect(report.services.every(({ status }) => status === 'ERROR')).toBe(true);
      expect(JSON.parse(JSON.stringify(report))).toEqual(report);
    }
    for (const name of DANGEROUS) {
      const [only] = (await controller.status({ only: [name] })).services;
      expect(only?.name).toBe(name);
      expect((await controller.status({ exclude: [name] })).services).toHaveLength(DANGEROUS.length - 1);
    }
    expect(({} as Record<string, unknown>).status).toBeUndefined();
    await controller.stop();
  });

  it('that is not registered finds nothing, whatever it is', () => {
    const controller = new Controller();
    for (const name of [...DANGEROUS, '', 'nobody', undefined, null, 5]) {
      expect(controller.checkResult(name as string)).toBeUndefined();
      expect(controller.serviceInfo(name as string)).toBeUndefined();
    }
  });

  // Case 29: no entry may hide another.
  it('is taken once, by a service or a check', () => {
    for (const [first, second] of [
      ['service', 'service'],
      ['service', 'check'],
      ['check', 'service'],
      ['check', 'check'],
    ]) {
      const controller = new Controller();
      const give = (kind: string | undefined) =>
        kind === 'service' ? controller.register('db') : controller.registerCheck({ name: 'db', check });
      give(first);
      expect(thrownBy(() => give(second))).toMatchObject({
        code: 'duplicate_name',
        message: expect.stringMatching(/"db"/),
      });
      expect(controller.names('status')).toEqual(['db']);
    }
  });

  it('is compared as it is written: case, blanks and composition make another', () => {
    const controller = new Controller();
    for (const name of ['db', 'DB', 'db ', ' db', 'ö', 'o\u0308']) controller.registerCheck({ name, check });
    expect(controller.names('status')).toHaveLength(6);
  });

  it('is either refused or comes back as it was, whatever it is', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 300 }), async (name) => {
        const controller = new Controller();
        const error = thrownBy(() => controller.registerCheck({ name, check }));
        const fine = name !== '' && name.length <= 256 && !/\p{Cc}/u.test(name);
        expect(error === undefined).toBe(fine);
        const report = await controller.status();
        expect(report.services.map((entry) => entry.name)).toEqual(fine ? [name] : []);
      }),
    );
  });
});
