/** What a strict reading of HTML finds: tags with their attributes, and texts, in order. Anything else is refused. */
export interface ParsedTag {
  readonly tag: string;
  readonly attributes: Readonly<Record<string, string>>;
}

export interface Parsed {
  readonly tags: readonly ParsedTag[];
  readonly text: string;
}

const TOKEN = /<(\/?)([a-z][a-z0-9]*)((?: [a-zA-Z-]+="[^"<>]*")*)>|([^<>]+)/y;
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };

function unescaped(text: string): string {
  return text.replace(/&([^;]*);?/g, (_, name: string) => {
    const char = ENTITIES[name];
    if (char === undefined) throw new Error(`a bare & in ${text}`);
    return char;
  });
}

/** Throws where the text is not elements that are closed in order, with quoted attributes and escaped texts. */
export function parseHtml(html: string): Parsed {
  const tags: ParsedTag[] = [];
  const open: string[] = [];
  let text = '';
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < html.length) {
    const at = TOKEN.lastIndex;
    const found = TOKEN.exec(html);
    if (found === null) throw new Error(`no HTML at ${html.slice(at, at + 80)}`);
    const [, slash, tag, attributes = '', words] = found;
    if (words !== undefined) text += unescaped(words);
    else if (slash === '/') {
      if (open.pop() !== tag) throw new Error(`</${tag}> closes something else`);
    } else if (tag !== undefined) {
      open.push(tag);
      const pairs = [...attributes.matchAll(/ ([a-zA-Z-]+)="([^"]*)"/g)];
      tags.push({
        tag,
        attributes: Object.fromEntries(pairs.map(([, name = '', value = '']) => [name, unescaped(value)])),
      });
    }
  }
  if (open.length > 0) throw new Error(`not closed: ${open.join()}`);
  return { tags, text };
}
