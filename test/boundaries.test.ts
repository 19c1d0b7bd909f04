import { readdirSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { posix } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

/** Paths are relative to src/. */
type Sources = Record<string, string>;

const INSIDE = ['core', 'ports', 'config', 'engine', 'controller'];
const FACES = ['index', 'kit', 'wire'];

/** Which rooms a room may import: docs/explanation/architecture.md in the shape of a table. */
const ARROWS: Readonly<Record<string, readonly string[]>> = {
  core: ['core'],
  ports: ['ports'],
  config: ['config', 'core', 'ports'],
  engine: ['engine', 'core', 'ports'],
  controller: INSIDE,
  index: INSIDE,
  kit: INSIDE,
  wire: ['wire', 'core'],
  http: ['http', ...FACES],
  presets: ['presets', 'http', ...FACES],
  client: ['client', ...FACES],
  page: ['page', 'http', ...FACES],
  cli: ['cli', ...FACES],
  testing: ['testing', ...FACES],
};

/** What stands behind a door of ours, and where that door is. */
const PACKAGES: readonly (readonly [package_: RegExp, room: RegExp])[] = [
  [/^p-timeout$/, /^engine\/deadline\.ts$/],
  [/^eventemitter3$/, /^engine\/emitter\.ts$/],
  [/^zod(\/|$)/, /^(config|wire)\//],
];

/** Time, chance and the end of the process come in through a port. */
const BANNED_MEMBERS = ['Date.now', 'Math.random', 'AbortSignal.timeout', 'process.exit'];
const BANNED_GLOBALS = ['setTimeout', 'setInterval', 'clearTimeout', 'clearInterval'];
const BANNED_MODULES = /^(node:)?timers(\/promises)?$/;
const mayUse = (path: string, word: string) =>
  path.startsWith('ports/') || (word === 'new Date(' && path === 'core/stamp.ts');

interface Import {
  readonly specifier: string;
  readonly typeOnly: boolean;
}

interface Facts {
  readonly imports: readonly Import[];
  readonly words: readonly string[];
  /** Whether there is more in it than imports and exports of other modules. */
  readonly logic: boolean;
}

function factsOf(path: string, text: string): Facts {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const imports: Import[] = [];
  const words: string[] = [];
  const add = (specifier: ts.Node | undefined, typeOnly: boolean) => {
    if (specifier !== undefined && ts.isStringLiteralLike(specifier)) {
      imports.push({ specifier: specifier.text, typeOnly });
      if (BANNED_MODULES.test(specifier.text)) words.push(specifier.text.replace('node:', ''));
    }
  };
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node)) add(node.moduleSpecifier, isTypeOnly(node.importClause));
    else if (ts.isExportDeclaration(node)) add(node.moduleSpecifier, node.isTypeOnly);
    else if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) add(node.argument.literal, true);
    else if (ts.isCallExpression(node) && isImportCall(node)) add(node.arguments[0], false);
    words.push(...wordsAt(node));
    ts.forEachChild(node, visit);
  };
  visit(file);
  const logic = file.statements.some(
    (node) => !ts.isImportDeclaration(node) && !(ts.isExportDeclaration(node) && node.moduleSpecifier !== undefined),
  );
  return { imports, words, logic };
}

function isTypeOnly(clause: ts.ImportClause | undefined): boolean {
  if (clause === undefined) return false;
  if (clause.phaseModifier === ts.SyntaxKind.TypeKeyword) return true;
  const { name, namedBindings } = clause;
  return (
    name === undefined &&
    namedBindings !== undefined &&
    ts.isNamedImports(namedBindings) &&
    namedBindings.elements.every((element) => element.isTypeOnly)
  );
}

function isImportCall({ expression }: ts.CallExpression): boolean {
  return (
    expression.kind === ts.SyntaxKind.ImportKeyword || (ts.isIdentifier(expression) && expression.text === 'require')
  );
}

function wordsAt(node: ts.Node): string[] {
  if (ts.isNewExpression(node) && nameOf(node.expression) === 'Date') return ['new Date('];
  if (ts.isPropertyAccessExpression(node) || ts.isElementAccessExpression(node)) {
    const member = memberOf(node);
    const word = `${nameOf(node.expression)}.${member}`;
    if (BANNED_MEMBERS.includes(word)) return [word];
    return word.startsWith('globalThis.') && BANNED_GLOBALS.includes(member ?? '') ? [member ?? ''] : [];
  }
  if (!ts.isIdentifier(node) || !BANNED_GLOBALS.includes(node.text)) return [];
  // The name of a member, as in clock.setTimeout or { setTimeout() {} }, is not the global; nor is its type.
  const { parent } = node;
  const names = 'name' in parent && parent.name === node && !ts.isShorthandPropertyAssignment(parent);
  return names || ts.isTypeQueryNode(parent) ? [] : [node.text];
}

function memberOf(node: ts.PropertyAccessExpression | ts.ElementAccessExpression): string | undefined {
  if (ts.isPropertyAccessExpression(node)) return node.name.text;
  return ts.isStringLiteralLike(node.argumentExpression) ? node.argumentExpression.text : undefined;
}

/** The name of a global, read directly or from globalThis. */
function nameOf(node: ts.Expression): string | undefined {
  if (ts.isIdentifier(node)) return node.text;
  const ofGlobal = ts.isPropertyAccessExpression(node) && nameOf(node.expression) === 'globalThis';
  return ofGlobal ? node.name.text : undefined;
}

const roomOf = (path: string) => (path.includes('/') ? path.slice(0, path.indexOf('/')) : path.replace(/\.ts$/, ''));

function target(path: string, specifier: string): string {
  return posix.join(posix.dirname(path), specifier).replace(/\.js$/, '.ts');
}

/** Every breach of the rules, as a sentence. */
function faults(sources: Sources): string[] {
  const found: string[] = [];
  const graph = new Map<string, string[]>();
  for (const [path, text] of Object.entries(sources)) {
    const room = roomOf(path);
    const { imports, words, logic } = factsOf(path, text);
    graph.set(path, []);
    if (ARROWS[room] === undefined) found.push(`${path}: is in no room of the table`);
    if (['index.ts', 'kit.ts'].includes(path) && logic) found.push(`${path}: does more than re-export`);
    for (const { specifier, typeOnly } of imports) {
      if (specifier.startsWith('.')) {
        const to = target(path, specifier);
        graph.get(path)?.push(to);
        if (!(ARROWS[room] ?? []).includes(roomOf(to))) found.push(`${path}: ${room} may not import ${to}`);
        if (room === 'wire' && roomOf(to) === 'core' && !typeOnly) {
          found.push(`${path}: wire imports types of core only, not ${to}`);
        }
      } else {
        const door = PACKAGES.find(([package_]) => package_.test(specifier))?.[1];
        if (door !== undefined && !door.test(path)) found.push(`${path}: ${specifier} has one room, not this`);
        const builtin = specifier.startsWith('node:') || builtinModules.includes(specifier);
        if (builtin && [...INSIDE, ...FACES].includes(room)) found.push(`${path}: ${specifier} ties ${room} to Node`);
      }
    }
    for (const word of new Set(words)) if (!mayUse(path, word)) found.push(`${path}: uses ${word}`);
  }
  return [...found, ...cycles(graph)];
}

function cycles(graph: ReadonlyMap<string, readonly string[]>): string[] {
  const found: string[] = [];
  const done = new Set<string>();
  const visit = (path: string, trail: readonly string[]): void => {
    const at = trail.indexOf(path);
    if (at >= 0) found.push(`cycle: ${[...trail.slice(at), path].join(' > ')}`);
    if (at >= 0 || done.has(path)) return;
    for (const next of graph.get(path) ?? []) visit(next, [...trail, path]);
    done.add(path);
  };
  for (const path of graph.keys()) visit(path, []);
  return found;
}

function readSources(): Sources {
  const root = new URL('../src/', import.meta.url);
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.ts'));
  return Object.fromEntries(
    files.map((path) => [path.replaceAll('\\', '/'), readFileSync(new URL(path, root), 'utf8')]),
  );
}

it('src keeps to its rooms, arrows and words', () => {
  const sources = readSources();
  expect(Object.keys(sources)).toContain('core/report.ts');
  expect(faults(sources)).toEqual([]);
});

describe('a wrong arrow is found', () => {
  it.each([
    ['core/a.ts', '../ports/clock.js', 'core/a.ts: core may not import ports/clock.ts'],
    ['ports/a.ts', '../core/report.js', 'ports/a.ts: ports may not import core/report.ts'],
    ['config/a.ts', '../engine/wheel.js', 'config/a.ts: config may not import engine/wheel.ts'],
    ['engine/a.ts', '../config/options.js', 'engine/a.ts: engine may not import config/options.ts'],
    [
      'engine/deep/a.ts',
      '../../controller/controller.js',
      'engine/deep/a.ts: engine may not import controller/controller.ts',
    ],
    ['controller/a.ts', '../http/node.js', 'controller/a.ts: controller may not import http/node.ts'],
    ['index.ts', './http/index.js', 'index.ts: index may not import http/index.ts'],
    ['kit.ts', './index.js', 'kit.ts: kit may not import index.ts'],
    ['wire/a.ts', '../index.js', 'wire/a.ts: wire may not import index.ts'],
    ['http/a.ts', '../core/report.js', 'http/a.ts: http may not import core/report.ts'],
    ['http/a.ts', '../presets/index.js', 'http/a.ts: http may not import presets/index.ts'],
    ['presets/a.ts', '../engine/deadline.js', 'presets/a.ts: presets may not import engine/deadline.ts'],
    ['client/a.ts', '../http/index.js', 'client/a.ts: client may not import http/index.ts'],
    ['testing/a.ts', '../controller/controller.js', 'testing/a.ts: testing may not import controller/controller.ts'],
    ['core/a.ts', '../../test/x.js', 'core/a.ts: core may not import ../test/x.ts'],
  ])('from %s to %s', (path, specifier, fault) => {
    expect(faults({ [path]: `export { x } from '${specifier}';` })).toEqual([fault]);
  });

  it.each([
    "import { x } from '../ports/clock.js';",
    "import type { X } from '../ports/clock.js';",
    "import '../ports/clock.js';",
    "export type { X } from '../ports/clock.js';",
    "export * from '../ports/clock.js';",
    "export type X = import('../ports/clock.js').X;",
    "export const x = import('../ports/clock.js');",
    "export const x = require('../ports/clock.js');",
  ])('in the form %s', (text) => {
    expect(faults({ 'core/a.ts': text })).toEqual(['core/a.ts: core may not import ports/clock.ts']);
  });

  it('but a right one is not', () => {
    const text =
      "import { a } from '../index.js'; import { b } from '../kit.js'; import { c } from '../http/index.js';";
    expect(faults({ 'presets/a.ts': text, 'core/a.ts': "export { b } from './b.js';" })).toEqual([]);
  });
});

describe('so is', () => {
  it('a file outside every room', () => {
    expect(faults({ 'helpers/a.ts': '' })).toEqual(['helpers/a.ts: is in no room of the table']);
  });

  it('logic in a face', () => {
    expect(faults({ 'index.ts': 'export const x = 1;' })).toEqual(['index.ts: does more than re-export']);
    expect(faults({ 'kit.ts': "export * from './core/report.js';" })).toEqual([]);
  });

  it('a value of core in wire', () => {
    const fault = 'wire/a.ts: wire imports types of core only, not core/report.ts';
    expect(faults({ 'wire/a.ts': "import { makeReport } from '../core/report.js';" })).toEqual([fault]);
    expect(faults({ 'wire/a.ts': "import { type A, makeReport } from '../core/report.js';" })).toEqual([fault]);
    expect(faults({ 'wire/a.ts': "import type { A } from '../core/report.js';" })).toEqual([]);
    expect(faults({ 'wire/a.ts': "import { type A } from '../core/report.js';" })).toEqual([]);
  });

  it('a cycle, also one of types', () => {
    const sources = {
      'core/a.ts': "import type { B } from './b.js';",
      'core/b.ts': "import { c } from './c.js';",
      'core/c.ts': "export type { A } from './a.js';",
    };
    expect(faults(sources)).toEqual(['cycle: core/a.ts > core/b.ts > core/c.ts > core/a.ts']);
  });

  it.each([
    ['p-timeout', 'engine/shutdown.ts', 'engine/deadline.ts'],
    ['eventemitter3', 'controller/controller.ts', 'engine/emitter.ts'],
    ['zod', 'presets/http.ts', 'config/options.ts'],
    ['zod/mini', 'http/respond.ts', 'wire/report.ts'],
  ])('%s in %s, but not in %s', (specifier, wrong, right) => {
    const text = `import x from '${specifier}';`;
    expect(faults({ [wrong]: text })).toEqual([`${wrong}: ${specifier} has one room, not this`]);
    expect(faults({ [right]: text })).toEqual([]);
  });

  it('a module of Node inside, but not in an adapter', () => {
    expect(faults({ 'engine/a.ts': "import { on } from 'node:events';" })).toEqual([
      'engine/a.ts: node:events ties engine to Node',
    ]);
    expect(faults({ 'wire/a.ts': "import fs from 'fs';" })).toEqual(['wire/a.ts: fs ties wire to Node']);
    expect(faults({ 'http/a.ts': "import http from 'node:http';" })).toEqual([]);
  });

  it.each([
    ['Date.now', 'export const x = Date.now();'],
    ['Date.now', 'export const x = globalThis.Date.now;'],
    ['Date.now', "export const x = Date['now']();"],
    ['new Date(', 'export const x = new Date();'],
    ['Math.random', 'export const x = (random = Math.random) => random();'],
    ['setTimeout', 'setTimeout(() => {}, 1);'],
    ['setTimeout', 'globalThis.setTimeout(() => {}, 1);'],
    ['setTimeout', 'export const timers = { setTimeout };'],
    ['setInterval', 'export const every = setInterval;'],
    ['clearTimeout', 'clearTimeout(1);'],
    ['clearInterval', 'clearInterval(1);'],
    ['AbortSignal.timeout', 'export const x = AbortSignal.timeout(1);'],
    ['process.exit', 'process.exit(1);'],
    ['timers/promises', "import { setTimeout as sleep } from 'node:timers/promises';"],
    ['timers/promises', "export const x = import('timers/promises');"],
    ['timers', "import { setTimeout as later } from 'node:timers';"],
  ])('%s outside ports, in %s', (word, text) => {
    expect(faults({ 'presets/a.ts': text })).toContain(`presets/a.ts: uses ${word}`);
    expect(faults({ 'ports/a.ts': text }).filter((fault) => fault.includes('uses'))).toEqual([]);
  });

  it('a date made anywhere but in the one file that formats stamps', () => {
    expect(faults({ 'core/stamp.ts': 'export const x = (ms: number) => new Date(ms).toISOString();' })).toEqual([]);
    expect(faults({ 'core/stamp.ts': 'export const x = Date.now();' })).toEqual(['core/stamp.ts: uses Date.now']);
  });
});

it('words that only look alike are left alone', () => {
  const text = `
    /** Call setTimeout(fn, Date.now()) yourself. */
    export const x = (clock: Clock) => clock.setTimeout(() => {}, 1);
    export const fake = { setTimeout() {}, clearTimeout: 1 };
    export interface Clock { setTimeout(callback: () => void, delayMs: number): unknown }
    export let handle: ReturnType<typeof setTimeout>;
    process.exitCode = 1;
    const text = 'Math.random';
  `;
  expect(faults({ 'cli/a.ts': text })).toEqual([]);
});
