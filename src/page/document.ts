import { oneLine } from '../http/formats/text.js';
import { type HealthResponse, makeResponse } from '../http/response.js';
import { ageText } from './age.js';
import { SCRIPT, SCRIPT_HASH } from './script.js';
import { STYLE, STYLE_HASH } from './style.js';
import { escapeHtml } from './tree.js';

/** What a whole document is made of. */
export interface DocumentParts {
  /** As the title of the document says it: with the state. */
  readonly title: string;
  readonly heading: string;
  /** What the tree came to. */
  readonly html: string;
  /** How old that is. */
  readonly ageMs: number;
  readonly refreshIntervalMs: number;
}

const POLICY = [
  "default-src 'none'",
  `script-src '${SCRIPT_HASH}'`,
  `style-src '${STYLE_HASH}'`,
  "connect-src 'self'",
  // The empty icon below, without which a browser asks for one.
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Of everything that the page answers: who may be told of it, and who may use it. */
export const PRIVATE: Readonly<Record<string, string>> = Object.freeze({
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Resource-Policy': 'same-origin',
});

/** The page as it is first sent: it says everything without its script too. */
export function documentResponse(parts: DocumentParts): HealthResponse {
  return makeResponse(200, 'text/html; charset=utf-8', documentHtml(parts), {
    'Content-Security-Policy': POLICY,
    Vary: 'Accept',
    ...PRIVATE,
  });
}

function documentHtml({ title, heading, html, ageMs, refreshIntervalMs }: DocumentParts): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="data:,">
<style>${STYLE}</style>
</head>
<body data-refresh="${refreshIntervalMs}" data-age="${Math.round(ageMs)}">
<header>
<h1>${escapeHtml(oneLine(heading))}</h1>
<p><span id="link">As loaded</span>, data <span id="age">${ageText(ageMs)}</span> old</p>
<noscript><p>Without scripts this page does not change by itself: reload it.</p></noscript>
<p id="voice" class="unseen" role="status"></p>
</header>
<main id="board">${html}</main>
<script>${SCRIPT}</script>
</body>
</html>
`;
}
