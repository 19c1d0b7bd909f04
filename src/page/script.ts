import { TAGS } from './tree.js';

// The browser's side, as the text that is sent: it has no module and no build of its own. A test checks its types with
// those of the DOM, and that SCRIPT_HASH is its hash, which the Content-Security-Policy names.

/**
 * The script as it is written. Keeps the page as the server says it is: takes trees (tree.ts), changes only what differs, counts ages on, and says
 * what changed. By server-sent events; by polling where they fail; and tries again where nothing answers.
 */
export const SCRIPT_SOURCE: string = `
(() => {
  'use strict';
  /** @typedef {{ 0: string, 1: Record<string, string>, 2: TreeNode[] }} TreeElement */
  /** @typedef {string | TreeElement} TreeNode */
  const TAGS = new Set('${TAGS.join(' ')}'.split(' '));
  const ATTRIBUTE = /^(class|id|role|scope|viewBox|preserveAspectRatio|x|y|width|height|aria-[a-z]+|data-[a-z]+)$/;
  const SVG = 'http://www.w3.org/2000/svg';
  /** @param {string} id */
  const part = (id) => /** @type {HTMLElement} */ (document.getElementById(id));
  const [board, link, age, voice] = ['board', 'link', 'age', 'voice'].map(part);
  const refreshMs = Number(document.body.dataset.refresh);
  const silentMs = 3 * refreshMs + 30000;
  /** How old the reading was when it was received, and when that was: the clock of this machine does not matter. */
  let ageMs = Number(document.body.dataset.age);
  let receivedAt = performance.now();
  let heardAt = receivedAt;
  /** @type {EventSource | undefined} */
  let source;
  let mode = 'loaded';
  let polls = 0;

  /** @param {number} ms */
  const ageText = (ms) => {
    const seconds = Math.floor(Math.max(0, ms) / 1000);
    if (seconds < 60) return seconds + ' s';
    const minutes = Math.floor(seconds / 60);
    if (minutes < 60) return minutes + ' min';
    const hours = Math.floor(minutes / 60);
    return hours < 48 ? hours + ' h' : Math.floor(hours / 24) + ' d';
  };

  /** @param {Element} element @param {Record<string, string>} attributes */
  const dress = (element, attributes) => {
    for (const name of element.getAttributeNames()) {
      // What the reader has opened stays open.
      if (!(name in attributes) && name !== 'open') element.removeAttribute(name);
    }
    for (const [name, value] of Object.entries(attributes)) {
      if (ATTRIBUTE.test(name) && element.getAttribute(name) !== value) element.setAttribute(name, value);
    }
  };

  /** @param {Node | null} old @param {string} text */
  const textOf = (old, text) => {
    if (old === null || old.nodeType !== 3) return document.createTextNode(text);
    if (old.nodeValue !== text) old.nodeValue = text;
    return old;
  };

  /** @param {Node | null} old @param {TreeElement} node */
  const elementOf = (old, node) => {
    const tag = node[0];
    const same = old instanceof Element && old.nodeName.toLowerCase() === tag;
    const svg = tag === 'svg' || tag === 'rect';
    const element = same ? old : svg ? document.createElementNS(SVG, tag) : document.createElement(tag);
    dress(element, node[1]);
    fill(element, node[2]);
    return element;
  };

  /** @param {Node | null | undefined} node */
  const keyOf = (node) => (node instanceof Element ? node.getAttribute('data-key') : null);

  /** @param {Node} parent @param {TreeNode[]} nodes */
  const fill = (parent, nodes) => {
    const keyed = new Map([...parent.childNodes].map((child) => [keyOf(child), child]));
    let at = parent.firstChild;
    for (const node of nodes) {
      let made;
      if (typeof node === 'string') made = textOf(at, node);
      else if (TAGS.has(node[0])) {
        const key = node[1]['data-key'];
        made = elementOf(key === undefined ? (keyOf(at) === null ? at : null) : (keyed.get(key) ?? null), node);
      } else continue;
      if (made !== at) parent.insertBefore(made, at);
      at = made.nextSibling;
    }
    while (at !== null) {
      const next = at.nextSibling;
      parent.removeChild(at);
      at = next;
    }
  };

  const watched = () => /** @type {NodeListOf<HTMLElement>} */ (board.querySelectorAll('[data-watch]'));

  /** @param {string} json */
  const take = (json) => {
    const { ageMs: old, title, tree } = JSON.parse(json);
    const before = new Map([...watched()].map(({ dataset }) => [dataset.watch, dataset.is]));
    fill(board, tree);
    document.title = title;
    ageMs = old;
    receivedAt = performance.now();
    count();
    const moved = [...watched()].filter(({ dataset }) => before.get(dataset.watch) !== dataset.is);
    if (moved.length === 0) return;
    const said = moved.slice(0, 3).map(({ dataset }) => dataset.watch + ': ' + dataset.word);
    voice.textContent = said.join('. ') + (moved.length > 3 ? '. And ' + (moved.length - 3) + ' more' : '');
  };

  const count = () => {
    const passedMs = performance.now() - receivedAt + ageMs;
    age.textContent = ageText(passedMs);
    for (const element of /** @type {NodeListOf<HTMLElement>} */ (board.querySelectorAll('[data-age]'))) {
      element.textContent = ageText(Number(element.dataset.age) + passedMs);
    }
  };

  /** @param {string} next @param {string} text */
  const become = (next, text) => {
    if (mode === next) return;
    if (next === 'down' || mode === 'down') voice.textContent = text;
    mode = next;
    document.body.dataset.link = next;
    link.textContent = text;
  };

  const connect = () => {
    const own = new EventSource('?format=events');
    source = own;
    heardAt = performance.now();
    /** @param {string} name @param {(data: string) => void} act */
    const on = (name, act) => {
      own.addEventListener(name, (event) => {
        if (source !== own) return;
        heardAt = performance.now();
        try {
          act(event.data);
        } catch {
          leave();
        }
      });
    };
    on('state', (data) => {
      take(data);
      polls = 0;
      become('live', 'Live');
    });
    on('beat', () => {});
    // The server asks anew who may see what.
    on('again', () => {
      own.close();
      connect();
    });
    on('end', leave);
    own.addEventListener('error', () => {
      if (source === own) leave();
    });
  };

  const leave = () => {
    source?.close();
    source = undefined;
    void poll();
  };

  const poll = async () => {
    const wasDown = mode === 'down';
    try {
      const response = await fetch('?format=state', { cache: 'no-store', signal: AbortSignal.timeout(10000) });
      if (!response.ok) throw new Error(String(response.status));
      take(await response.text());
      become('polling', 'Polling');
      polls++;
      if (wasDown || polls % 6 === 0) {
        connect();
        return;
      }
    } catch {
      become('down', 'Disconnected');
    }
    // Not all at once, where many look.
    setTimeout(poll, refreshMs * (0.8 + 0.4 * Math.random()));
  };

  setInterval(() => {
    count();
    if (source !== undefined && performance.now() - heardAt > silentMs) leave();
  }, 1000);
  count();
  connect();
})();
`;

/** The script as it is sent. */
export const SCRIPT: string = /* @__PURE__ */ squeezed(SCRIPT_SOURCE);

/** What `script-src` names. */
export const SCRIPT_HASH = 'sha256-I/iOS2m8nh3Pc+SWX6PJT7vBn8C40wo6PGgoJmBkFsk=';

/** Without indentation and comments, which nobody reads there. */
function squeezed(text: string): string {
  return text
    .replace(/^\s*(\/\/.*|\/\*\*.*\*\/)$/gm, '')
    .replace(/^\s+/gm, '')
    .replace(/\/\*\* @type .*?\*\/ /g, '')
    .trim();
}
