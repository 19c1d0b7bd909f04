import { describe, expect, it } from 'vitest';
import { Slots } from '../../src/engine/slots.js';

const stage = (limit: number) => {
  const begun: string[] = [];
  const item = (name: string) => ({ admitted: () => void begun.push(name) });
  return { slots: new Slots(limit), begun, item };
};

describe('Slots', () => {
  it('let so many begin, and the others in order as places are given back', () => {
    const { slots, begun, item } = stage(2);
    for (const name of ['a', 'b', 'c', 'd']) slots.take(item(name));
    expect(begun).toEqual(['a', 'b']);
    slots.giveBack();
    expect(begun).toEqual(['a', 'b', 'c']);
    slots.giveBack();
    slots.giveBack();
    slots.giveBack();
    slots.take(item('e'));
    expect(begun).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  it('forget who waits no more', () => {
    const { slots, begun, item } = stage(1);
    slots.take(item('a'));
    const b = item('b');
    slots.take(b);
    slots.take(item('c'));
    slots.forget(b);
    slots.giveBack();
    expect(begun).toEqual(['a', 'c']);
  });

  it('let nobody begin once closed', () => {
    const { slots, begun, item } = stage(1);
    slots.take(item('a'));
    slots.take(item('b'));
    slots.close();
    slots.giveBack();
    slots.take(item('c'));
    expect(begun).toEqual(['a']);
  });
});
