import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Dependent, dependencyOrder } from '../../src/core/dependency-order.js';
import { isHealthControllerError } from '../../src/core/errors.js';

/** `api: db, cache` depends on two. */
function services(...lines: readonly string[]): Dependent[] {
  return lines.map((line) => {
    const [name = '', wanted = ''] = line.split(': ');
    return { name, dependsOn: wanted === '' ? [] : wanted.split(', ') };
  });
}

const order = (...lines: readonly string[]): string[] => dependencyOrder(services(...lines)).map(({ name }) => name);

function refusal(...lines: readonly string[]): { code: string; message: string } {
  try {
    order(...lines);
  } catch (error) {
    if (isHealthControllerError(error)) return { code: error.code, message: error.message };
    throw error;
  }
  throw new Error('it was not refused');
}

describe('dependencyOrder', () => {
  it.each([
    [['a', 'b', 'c'], 'abc'],
    [['a: b', 'b'], 'ba'],
    [['a: c', 'b', 'c'], 'cab'],
    [['a: b, c', 'b: d', 'c: d', 'd'], 'dbca'],
    [['a: c, b', 'b', 'c'], 'cba'],
    [[], ''],
  ])('puts %j in the order %s', (lines, expected) => {
    expect(order(...lines).join('')).toBe(expected);
  });

  it('refuses a name that is no service, saying who asked for it', () => {
    expect(refusal('a', 'b: redis')).toEqual({
      code: 'unknown_dependency',
      message: 'start(): service "b" depends on "redis"; expected the name of a registered service',
    });
  });

  it.each([
    [['a: a'], '"a" -> "a"'],
    [['a: b', 'b: a'], '"a" -> "b" -> "a"'],
    [['x: a', 'a: b', 'b: c', 'c: a'], '"a" -> "b" -> "c" -> "a"'],
    [['ok', 'd: ok, e', 'e: ok, d'], '"d" -> "e" -> "d"'],
  ])('refuses %j with the path of the cycle %s, and no more than it', (lines, path) => {
    expect(refusal(...lines)).toEqual({
      code: 'dependency_cycle',
      message: `start(): services depend on each other: ${path}`,
    });
  });

  it('takes names such as __proto__ for what they are', () => {
    expect(order('constructor: __proto__', '__proto__')).toEqual(['__proto__', 'constructor']);
    expect(refusal('a: toString').code).toBe('unknown_dependency');
  });

  it('orders a chain of ten thousand, and finds a cycle as long', () => {
    const chain = Array.from({ length: 10_000 }, (_, index) => ({
      name: `s${index}`,
      dependsOn: index === 9999 ? [] : [`s${index + 1}`],
    }));
    expect(dependencyOrder(chain).at(-1)?.name).toBe('s0');
    const ring = [...chain.slice(0, -1), { name: 's9999', dependsOn: ['s0'] }];
    expect(() => dependencyOrder(ring)).toThrow(/"s0" -> "s1" -> .* -> "s9999" -> "s0"$/);
  });

  it('looks at each dependency once, however many ways lead to it', () => {
    // Thirty layers of ten, each on all of the layer before: 10 ** 30 ways lead to the ground.
    let looked = 0;
    const layer = (depth: number) => Array.from({ length: 10 }, (_, place) => `${depth}/${place}`);
    const layers = Array.from({ length: 30 }, (_, depth) => {
      const dependsOn = depth === 0 ? [] : layer(depth - 1);
      return layer(depth).map((name) => ({
        name,
        get dependsOn() {
          looked++;
          return dependsOn;
        },
      }));
    }).flat();
    expect(dependencyOrder([...layers].reverse())).toHaveLength(300);
    // Once for each dependency, and once to see that there are no more.
    expect(looked).toBe(29 * 10 * 11 + 10);
  });

  it('puts each after what it depends on, and otherwise keeps the order given', () => {
    const graph = fc
      .uniqueArray(fc.integer({ min: 0, max: 30 }), { minLength: 1, maxLength: 12 })
      .chain((ids) =>
        fc.tuple(fc.constant(ids), fc.array(fc.subarray(ids), { minLength: ids.length, maxLength: ids.length })),
      );
    fc.assert(
      fc.property(graph, ([ids, wanted]) => {
        // Only smaller ids are depended on, so that there is no cycle.
        const given = ids.map((id, index) => ({
          name: `${id}`,
          dependsOn: (wanted[index] ?? []).filter((other) => other < id).map(String),
        }));
        const ordered = dependencyOrder(given);
        expect(new Set(ordered)).toEqual(new Set(given));
        const place = new Map(ordered.map(({ name }, index) => [name, index]));
        for (const { name, dependsOn } of given) {
          for (const other of dependsOn) expect(place.get(other)).toBeLessThan(place.get(name) ?? -1);
        }
        const free = given.filter(({ dependsOn }) => dependsOn.length === 0);
        const wantedByNone = free.filter(({ name }) => !given.some(({ dependsOn }) => dependsOn.includes(name)));
        expect(ordered.filter((service) => wantedByNone.includes(service))).toEqual(wantedByNone);
      }),
    );
  });
});
