import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

/** An option as its docstring has it. */
export interface DocumentedOption {
  /** `TypeName.option`, or `TypeName.option.inner`. */
  readonly name: string;
  readonly optional: boolean;
  /** What its tag `@defaultValue` says. */
  readonly defaultValue: string | undefined;
}

const SRC = fileURLToPath(new URL('../../../src/', import.meta.url));

/** Every property of every exported interface in the files of src whose path matches. */
export function documentedOptions(path: RegExp): readonly DocumentedOption[] {
  return readdirSync(SRC, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && path.test(file))
    .sort()
    .flatMap((file) => optionsOf(readFileSync(`${SRC}${file}`, 'utf8'), file));
}

function optionsOf(text: string, file: string): DocumentedOption[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  return source.statements
    .filter(ts.isInterfaceDeclaration)
    .filter((declaration) => declaration.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword))
    .flatMap((declaration) => membersOf(declaration.name.text, declaration.members));
}

function membersOf(at: string, members: ts.NodeArray<ts.TypeElement>): DocumentedOption[] {
  return members.filter(ts.isPropertySignature).flatMap((member) => {
    const name = `${at}.${member.name.getText()}`;
    const tag = ts.getJSDocTags(member).find(({ tagName }) => tagName.text === 'defaultValue');
    const defaultValue = tag === undefined ? undefined : ts.getTextOfJSDocComment(tag.comment)?.trim();
    const option = { name, optional: member.questionToken !== undefined, defaultValue };
    return [option, ...literalsOf(member.type).flatMap((literal) => membersOf(name, literal.members))];
  });
}

/** The object types written out in a type, as in `{ ... } | undefined`. */
function literalsOf(type: ts.TypeNode | undefined): ts.TypeLiteralNode[] {
  if (type === undefined) return [];
  if (ts.isTypeLiteralNode(type)) return [type];
  return ts.isUnionTypeNode(type) ? type.types.flatMap(literalsOf) : [];
}
