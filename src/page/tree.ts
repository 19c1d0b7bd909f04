import { oneLine } from '../http/formats/text.js';

/** What may stand on the page. The browser's side makes nothing else. */
export const TAGS = [
  'p',
  'span',
  'strong',
  'h2',
  'section',
  'div',
  'ol',
  'ul',
  'li',
  'dl',
  'dt',
  'dd',
  'details',
  'summary',
  'bdi',
  'table',
  'caption',
  'thead',
  'tbody',
  'tr',
  'th',
  'td',
  'svg',
  'rect',
] as const;
export type Tag = (typeof TAGS)[number];

export type Attributes = Readonly<Record<string, string>>;

/** One element of the page as data: JSON, which the browser's side makes elements of, and the server HTML. */
export type TreeElement = readonly [tag: Tag, attributes: Attributes, children: readonly TreeNode[]];
export type TreeNode = string | TreeElement;

export function element(tag: Tag, attributes: Attributes, ...children: readonly TreeNode[]): TreeElement {
  return [tag, attributes, children];
}

/** As HTML. Whatever the texts are, they stay texts. */
export function toHtml(nodes: readonly TreeNode[]): string {
  return nodes.map(nodeHtml).join('');
}

function nodeHtml(node: TreeNode): string {
  if (typeof node === 'string') return escapeHtml(node);
  const [tag, attributes, children] = node;
  const list = Object.entries(attributes).map(([name, value]) => ` ${name}="${escapeHtml(value)}"`);
  return `<${tag}${list.join('')}>${toHtml(children)}</${tag}>`;
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (char) => ESCAPES[char] ?? char);
}

/** A text from outside: characters that are not seen, or turn the text around them, are written out. */
export function visible(text: string): string {
  return text.split('\n').map(oneLine).join('\n');
}
