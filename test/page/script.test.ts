import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { SCRIPT, SCRIPT_SOURCE } from '../../src/page/script.js';

/** What the compiler says of a text as a script of a browser. */
function complaints(text: string): string[] {
  const name = '/page.js';
  const options: ts.CompilerOptions = {
    allowJs: true,
    checkJs: true,
    noEmit: true,
    strict: true,
    target: ts.ScriptTarget.ES2022,
    lib: ['lib.es2022.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
    types: [],
  };
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists } = host;
  host.fileExists = (path) => path === name || fileExists(path);
  host.getSourceFile = (path, version, ...rest) =>
    path === name
      ? ts.createSourceFile(path, text, version, true, ts.ScriptKind.JS)
      : getSourceFile(path, version, ...rest);
  return ts
    .getPreEmitDiagnostics(ts.createProgram([name], options, host))
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' '));
}

describe('the script of the page', () => {
  it('has no fault that its types show', () => {
    expect(complaints(SCRIPT_SOURCE)).toEqual([]);
    expect(complaints('(() => { "use strict"; document.getElementByld("x"); })();')).toHaveLength(1);
  });

  it('makes nothing of text but text', () => {
    expect(SCRIPT).not.toMatch(
      /innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval|Function\(|DOMParser|srcdoc/,
    );
  });

  it('can stand in a document, and is sent without its comments', () => {
    expect(SCRIPT).not.toMatch(/<\/script|<!--/i);
    expect(SCRIPT).not.toMatch(/^\s*\/[/*]|@type|@param/m);
  });

  it('is small', () => {
    expect(Buffer.byteLength(SCRIPT)).toBeLessThan(6000);
  });
});
