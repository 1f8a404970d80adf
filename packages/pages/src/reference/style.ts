/** The style of a reference page. It stands in the page itself, so that the page loads nothing. */
export const REFERENCE_STYLE = `
:root { color-scheme: light dark; --paper: #fbfafc; --surface: #fff; --sunken: #f3f0f5; --ink: #1d1822; --muted: #5d5566;
  --line: #e2dce6; --accent: #8d1f86; --mono: ui-monospace, 'SF Mono', Menlo, Consolas, 'Liberation Mono', monospace; }
@media (prefers-color-scheme: dark) { :root { --paper: #131017; --surface: #1c1822; --sunken: #251f2c; --ink: #efeaf2;
  --muted: #b5abbe; --line: #352d3d; --accent: #eea3e7; } }
* { box-sizing: border-box; }
html { text-size-adjust: 100%; }
body { margin: 0 auto; max-width: 72rem; padding: 1.5rem 1rem 4rem; background: var(--paper); color: var(--ink);
  font: 1rem/1.55 system-ui, 'Segoe UI', Roboto, 'Liberation Sans', sans-serif; overflow-wrap: anywhere; }
h1, h2, h3 { margin: 0; line-height: 1.25; }
h2 { margin-top: 2.5rem; padding-bottom: 0.3rem; border-bottom: 1px solid var(--line); }
h3, code { font-family: var(--mono); font-size: 0.95rem; }
a { color: var(--accent); }
p { margin: 0.5rem 0 0; max-width: 46rem; }
.muted { color: var(--muted); }
nav ul { margin: 0.75rem 0 0; padding: 0; list-style: none; columns: 20rem; }
nav li { padding: 0.15rem 0; font-family: var(--mono); font-size: 0.88rem; break-inside: avoid; }
section { margin-top: 1.25rem; padding: 1rem; background: var(--surface); border: 1px solid var(--line);
  border-radius: 0.6rem; scroll-margin-top: 1rem; }
h4 { margin: 1rem 0 0; font-size: 0.85rem; color: var(--muted); }
summary { margin-top: 1rem; font-size: 0.85rem; font-weight: 600; color: var(--muted); cursor: pointer; }
.scroll { overflow-x: auto; }
table { width: 100%; border-collapse: collapse; font-size: 0.9rem; }
th, td { padding: 0.35rem 0.75rem 0.35rem 0; border-bottom: 1px solid var(--line); text-align: start; vertical-align: top; }
th { color: var(--muted); font-weight: 600; }
td:first-child { min-width: 9rem; }
td { min-width: 5rem; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
`;
