"""The style of the HTML report: system fonts, colours for light and dark with a contrast of at least 4.5 to 1."""

STYLE = """
:root { color-scheme: light dark;
  --page: #ffffff; --ink: #1b1f24; --soft: #57606a; --line: #d0d7de; --shade: #f6f8fa;
  --good: #116329; --bad: #a40e26; --warn: #7d4e00; --note: #0550ae;
  --s0: #0550ae; --s1: #a40e26; --s2: #116329; --s3: #7d4e00; --s4: #6639ba; --s5: #57606a; }
@media (prefers-color-scheme: dark) { :root {
  --page: #0d1117; --ink: #e6edf3; --soft: #9da7b3; --line: #3d444d; --shade: #161b22;
  --good: #56d364; --bad: #ff7b72; --warn: #e3b341; --note: #79c0ff;
  --s0: #79c0ff; --s1: #ff7b72; --s2: #56d364; --s3: #e3b341; --s4: #d2a8ff; --s5: #9da7b3; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 60rem; margin: 0 auto; padding: 1.5rem; overflow-wrap: break-word; }
h1 { font-size: 1.6rem; } h2 { font-size: 1.2rem; margin-top: 2rem; }
table { width: 100%; border-collapse: collapse; margin: .5rem 0; }
th, td { text-align: left; vertical-align: top; padding: .35rem .6rem; border-bottom: 1px solid var(--line); }
th { color: var(--soft); font-weight: 600; }
td:first-child { white-space: nowrap; overflow-wrap: normal; }
code { font: .875em ui-monospace, monospace; background: var(--shade); padding: .1em .3em; border-radius: 4px;
  overflow-wrap: anywhere; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .2rem 1rem; }
dt { color: var(--soft); } dd { margin: 0; }
figure { margin: 1rem 0; padding: 1rem; border: 1px solid var(--line); border-radius: 8px; }
figcaption, footer { color: var(--soft); } footer { margin-top: 3rem; }
.number { text-align: right; font-variant-numeric: tabular-nums; }
.status, .verdict { font-weight: 600; } .verdict { font-size: 1rem; }
.passed, .v0 { color: var(--good); } .failed, .errored, .error, .v1, .v2 { color: var(--bad); }
.not_run, .warning { color: var(--warn); } .info { color: var(--note); }
.findings > li { margin-bottom: 1rem; } .findings p { margin: .2rem 0; }
svg { width: 100%; height: auto; } svg text { fill: var(--ink); font: 12px system-ui, sans-serif; }
.end { text-anchor: end; } .middle { text-anchor: middle; } .grid { stroke: var(--line); }
.line { fill: none; stroke-width: 2; }
.line.s0 { stroke: var(--s0); } .line.s1 { stroke: var(--s1); } .line.s2 { stroke: var(--s2); }
.line.s3 { stroke: var(--s3); } .line.s4 { stroke: var(--s4); } .line.s5 { stroke: var(--s5); }
.dot.s0 { fill: var(--s0); } .dot.s1 { fill: var(--s1); } .dot.s2 { fill: var(--s2); }
.dot.s3 { fill: var(--s3); } .dot.s4 { fill: var(--s4); } .dot.s5 { fill: var(--s5); }
"""
