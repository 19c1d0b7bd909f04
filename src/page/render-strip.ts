import { ageText } from './age.js';
import type { PageState } from './source.js';
import { SLOTS, type StripRun } from './strip.js';
import { element, type TreeElement } from './tree.js';

/** The worse, the higher: what colour says, height says too. */
const HEIGHTS: Readonly<Record<PageState, number>> = { ok: 6, unknown: 10, degraded: 14, error: 20 };
const TOP = 20;

/** A strip as a picture with a text for it. Slots in which nothing was seen are a line at the bottom. */
export function renderStrip(runs: readonly StripRun[], slotMs: number): TreeElement {
  let x = 0;
  const bars = runs.map(({ state, slots }): TreeElement => {
    const height = state === undefined ? 1 : HEIGHTS[state];
    const bar = element('rect', place(x, height, slots, state));
    x += slots;
    return bar;
  });
  const picture = { role: 'img', viewBox: `0 0 ${SLOTS} ${TOP}`, preserveAspectRatio: 'none' };
  return element('svg', { ...picture, 'aria-label': describe(runs, slotMs) }, ...bars);
}

function place(
  x: number,
  height: number,
  slots: number,
  state: PageState | undefined,
): Readonly<Record<string, string>> {
  const box = { x: String(x), y: String(TOP - height), width: String(slots), height: String(height) };
  return { ...box, class: state ?? 'none' };
}

function describe(runs: readonly StripRun[], slotMs: number): string {
  const seen = runs.filter(({ state }) => state !== undefined);
  if (seen.length === 0) return 'nothing was seen';
  const parts = seen.map(({ state, slots }) => `${state} ${ageText(slots * slotMs)}`);
  // Of a restless one only the end: nobody listens to thirty.
  return parts.length <= 4 ? parts.join(', ') : `${seen.length - 1} changes, at last ${parts.slice(-2).join(', ')}`;
}
