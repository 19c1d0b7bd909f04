import { oneLine } from '../http/formats/text.js';
import { ageText } from './age.js';
import type { Fact } from './clean.js';
import { renderStrip } from './render-strip.js';
import type { PageState } from './source.js';
import { SLOTS } from './strip.js';
import { element, type TreeElement, type TreeNode, visible } from './tree.js';
import type { EntryView, PageView, SectionView, StretchView } from './view.js';

/** State is told by shape and word, and by colour only beside them. */
export const SYMBOLS: Readonly<Record<PageState, string>> = { ok: '✔', degraded: '▲', error: '✖', unknown: '?' };

export const STATE_WORDS: Readonly<Record<PageState, string>> = {
  ok: 'OK',
  degraded: 'Degraded',
  error: 'Error',
  unknown: 'Unknown',
};

const STATES: readonly PageState[] = ['error', 'degraded', 'unknown', 'ok'];

/** Everything that changes while the page is open. `historyMs` is what a whole strip shows. */
export function renderPage(view: PageView, historyMs: number): readonly TreeElement[] {
  const { state, sections } = view;
  return [
    element('p', { class: 'overall', 'data-state': state }, symbol(state), ` ${STATE_WORDS[state]}`),
    ...sections.map((section, index) => renderSection(section, `s${index}`, historyMs)),
  ];
}

function renderSection(section: SectionView, id: string, historyMs: number): TreeElement {
  const { name, state, label = '', ageMs, fault, facts, timeline, entries } = section;
  const word = wholeWord(section);
  const watch = { 'data-watch': oneLine(name), 'data-is': `${state} ${label}`, 'data-word': said(state, word) };
  return element(
    'section',
    { 'data-key': name, 'aria-labelledby': id },
    element('h2', { id }, element('bdi', {}, oneLine(name))),
    element(
      'p',
      { class: 'whole', 'data-state': state, ...watch },
      ...badge(state, word),
      element('span', { class: 'counts' }, countText(section)),
    ),
    ...(fault === undefined ? [] : [faultLine(fault, ageMs)]),
    ...factList(facts),
    ...(timeline.length < 2 ? [] : [renderTimeline(timeline)]),
    ...(entries.length === 0 ? [] : [renderTable(section, id, historyMs)]),
  );
}

function wholeWord({ label, reason, state }: SectionView): string {
  const word = label === undefined ? STATE_WORDS[state] : words(label);
  return reason === undefined ? word : `${word}, ${words(reason)}`;
}

function countText({ counts, entries }: SectionView): string {
  const all = STATES.reduce((sum, state) => sum + counts[state], 0);
  if (all === 0) return 'nothing to show';
  const found = STATES.filter((state) => counts[state] > 0).map((state) => `${counts[state]} ${STATE_WORDS[state]}`);
  const left = all - entries.length;
  return `${found.join(', ')}${left === 0 ? '' : `; ${left} more are not shown: those that need attention come first`}`;
}

function faultLine(fault: string, ageMs: number | undefined): TreeElement {
  const known: readonly TreeNode[] =
    ageMs === undefined ? ['nothing is known'] : ['what is known is ', age(ageMs), ' old'];
  return element('p', { class: 'fault' }, `Could not be read (${words(fault)}): `, ...known);
}

function renderTimeline(timeline: readonly StretchView[]): TreeElement {
  const stretches = timeline.map(({ label, agoMs, forMs }) => {
    const length = forMs === undefined ? age(agoMs) : ageText(forMs);
    return element('li', {}, element('strong', {}, words(label)), ' for ', length);
  });
  return element('ol', { class: 'timeline', 'aria-label': 'What it was, the oldest first' }, ...stretches);
}

function renderTable({ name, entries }: SectionView, id: string, historyMs: number): TreeElement {
  const head = ['Name', 'State', 'Checked', 'Unchanged for', `Last ${ageText(historyMs)}`].map((text) =>
    element('th', { role: 'columnheader', scope: 'col' }, text),
  );
  const body = entries.map((entry) => renderEntry(entry, name, historyMs));
  return element(
    'table',
    { role: 'table', 'aria-labelledby': id },
    element('thead', { role: 'rowgroup' }, element('tr', { role: 'row' }, ...head)),
    element('tbody', { role: 'rowgroup' }, ...body),
  );
}

function renderEntry(entry: EntryView, section: string, historyMs: number): TreeElement {
  const { name, kind, state, label, reason, since, strip, error } = entry;
  const word = reason === undefined ? words(label) : `${words(label)}, ${words(reason)}`;
  const watch = { 'data-watch': oneLine(`${section}: ${name}`), 'data-is': state, 'data-word': said(state, word) };
  return element(
    'tr',
    { role: 'row', 'data-key': name, 'data-state': state, ...watch },
    element(
      'th',
      { role: 'rowheader', scope: 'row' },
      element('bdi', {}, oneLine(name)),
      ...(kind === undefined ? [] : [element('span', { class: 'kind' }, words(kind))]),
    ),
    element(
      'td',
      { role: 'cell', class: 'state' },
      ...badge(state, word),
      ...(error === undefined ? [] : [element('p', { class: 'why' }, visible(error))]),
      ...factList(entry.facts),
    ),
    element('td', { role: 'cell', class: 'time' }, narrowHead('Checked '), age(entry.ageMs), ' ago'),
    element(
      'td',
      { role: 'cell', class: 'time' },
      narrowHead('Unchanged for '),
      ...(since.exact ? [] : ['over ']),
      age(since.ageMs),
    ),
    element('td', { role: 'cell', class: 'history' }, renderStrip(strip, historyMs / SLOTS)),
  );
}

/** Stands in for the column's head where there is no room for columns. */
function narrowHead(text: string): TreeElement {
  return element('span', { class: 'head', 'aria-hidden': 'true' }, text);
}

function badge(state: PageState, word: string): readonly TreeNode[] {
  const rest = beside(state, word);
  return [
    element('strong', { class: 'badge', 'data-state': state }, symbol(state), ` ${STATE_WORDS[state]}`),
    ...(rest === '' ? [] : [element('span', { class: 'word' }, ` ${rest}`)]),
  ];
}

/** A state and its word as they are said: what the browser tells a screen reader when they change. */
function said(state: PageState, word: string): string {
  return `${STATE_WORDS[state]} ${beside(state, word)}`.trim();
}

/** The source's word is left out where it is the state's own. */
function beside(state: PageState, word: string): string {
  return word.replace(new RegExp(`^${STATE_WORDS[state]}(?:, |$)`, 'i'), '');
}

function symbol(state: PageState): TreeElement {
  return element('span', { 'aria-hidden': 'true', class: 'symbol' }, SYMBOLS[state]);
}

function factList(facts: readonly Fact[]): readonly TreeElement[] {
  if (facts.length === 0) return [];
  const list = facts.flatMap(({ name, value }) => [
    element('dt', {}, element('bdi', {}, oneLine(name))),
    element('dd', {}, element('bdi', {}, oneLine(value))),
  ]);
  return [element('details', {}, element('summary', {}, 'Details'), element('dl', {}, ...list))];
}

/** The browser goes on counting. */
function age(ms: number): TreeElement {
  return element('span', { 'data-age': String(Math.round(ms)) }, ageText(ms));
}

/** A code as words. */
function words(code: string): string {
  return code.replaceAll('_', ' ');
}
