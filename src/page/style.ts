/** The style of the page, as the text that is sent. A test checks that STYLE_HASH is its hash. */
export const STYLE: string = `
:root {
  color-scheme: light dark;
  --paper: #fff; --ink: #1b1f24; --soft: #57606a; --line: #d0d7de; --tint: #f6f8fa;
  --ok: #1a7f37; --degraded: #8a5a00; --error: #b91c1c; --unknown: #57606a;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #0d1117; --ink: #e6edf3; --soft: #9da7b3; --line: #30363d; --tint: #161b22;
    --ok: #4ac26b; --degraded: #e3b341; --error: #ff8182; --unknown: #9da7b3;
  }
}
* { box-sizing: border-box; }
html { scroll-padding-top: 4rem; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 1rem/1.5 system-ui, sans-serif; }
header, main { max-width: 64rem; margin: 0 auto; padding: .75rem 1rem; }
header { display: flex; flex-wrap: wrap; gap: 0 1.5rem; align-items: baseline; padding-bottom: .5rem; position: sticky; top: 0; z-index: 1; background: var(--paper); }
h1 { font-size: 1.5rem; margin: 0; overflow-wrap: anywhere; }
h2 { font-size: 1.125rem; margin: 0; overflow-wrap: anywhere; }
p { margin: 0; }
header p { color: var(--soft); }
#link { font-weight: 600; }
[data-link=down] header p { color: var(--error); }
[data-link=down] #link::before { content: "✖ "; }
[data-link=live] #link::before { content: "● "; }
[data-link=polling] #link::before { content: "◐ "; }
.overall { font-size: 1.25rem; font-weight: 700; padding: .5rem 1rem; border-left: .5rem solid currentColor; background: var(--tint); }
section { margin-top: 1.5rem; border: 1px solid var(--line); border-radius: .5rem; padding: 1rem; }
[data-state=ok].overall, [data-state=ok].badge { color: var(--ok); }
[data-state=degraded].overall, [data-state=degraded].badge { color: var(--degraded); }
[data-state=error].overall, [data-state=error].badge { color: var(--error); }
[data-state=unknown].overall, [data-state=unknown].badge { color: var(--unknown); }
.symbol { display: inline-block; width: 1.25em; text-align: center; }
.badge { white-space: nowrap; }
.whole { display: flex; flex-wrap: wrap; gap: .25rem 1rem; align-items: baseline; }
.whole .word { border: 1px solid var(--line); border-radius: 1rem; padding: 0 .75rem; }
.counts { color: var(--soft); }
.fault { color: var(--error); }
.why { white-space: pre-wrap; overflow-wrap: anywhere; font-size: .875rem; }
.timeline { display: flex; flex-wrap: wrap; gap: .25rem 1rem; list-style: none; margin: .5rem 0 0; padding: 0; font-size: .875rem; color: var(--soft); }
.timeline li + li::before { content: "→ "; }
table { width: 100%; table-layout: fixed; border-collapse: collapse; margin-top: .75rem; }
thead th:nth-child(1) { width: 25%; }
thead th:nth-child(3) { width: 7rem; }
thead th:nth-child(4) { width: 9rem; }
thead th:nth-child(5) { width: 8.75rem; }
th, td { text-align: left; vertical-align: top; padding: .375rem .75rem .375rem 0; border-top: 1px solid var(--line); font-weight: 400; overflow-wrap: anywhere; }
thead th { border: 0; color: var(--soft); font-size: .875rem; overflow-wrap: normal; }
tbody th { font-weight: 600; }
.kind { display: block; font-weight: 400; font-size: .875rem; color: var(--soft); }
.time { white-space: nowrap; font-variant-numeric: tabular-nums; }
.head { display: none; }
svg { display: block; width: 8rem; height: 1.25rem; margin-top: .125rem; }
rect { fill: var(--line); }
rect.ok { fill: var(--ok); }
rect.degraded { fill: var(--degraded); }
rect.error { fill: var(--error); }
rect.unknown { fill: var(--unknown); }
details { font-size: .875rem; }
summary { cursor: pointer; color: var(--soft); width: max-content; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0 .75rem; margin: .25rem 0; }
dt { color: var(--soft); }
dd { margin: 0; overflow-wrap: anywhere; }
:focus-visible { outline: 2px solid; outline-offset: 2px; }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
@media (max-width: 44rem) {
  table, tbody, tr, td, tbody th { display: block; width: auto; }
  thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  tr { border-top: 1px solid var(--line); padding: .5rem 0; }
  th, td { border: 0; padding: .125rem 0; }
  tbody .kind { display: inline; margin-left: .5rem; }
  td.time { display: inline-block; margin-right: 1rem; color: var(--soft); font-size: .875rem; }
  .head { display: inline; }
  svg { width: 100%; }
}
`.trim();

/** What `style-src` names. */
export const STYLE_HASH = 'sha256-EcNbIRy1ee9VD1KbreRsvuF3UHTDJKDLNS32oH6tyz4=';
