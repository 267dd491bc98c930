/** Calm and typographic: one family, few sizes, colour only where it means something. */
export const STYLE = `
:root { color-scheme: light dark;
  --paper: #fbfbf9; --panel: #ffffff; --ink: #1b1f24; --muted: #59626d; --line: #dcdfe3; --faint: #eceef0;
  --blue: #1f5fa8; --on-blue: #ffffff; --blue-soft: #c5d9ef; --on-soft: #17324f; --green: #0a7257; --red: #b3261e;
  --red-soft: #fbe4e1; --orange: #b04a00; --purple: #76439b; --amber: #8a6100; --amber-soft: #f6e3b4; }
@media (prefers-color-scheme: dark) { :root {
  --paper: #14171a; --panel: #1a1e22; --ink: #e5e8eb; --muted: #9ba5b0; --line: #2d343b; --faint: #22272c;
  --blue: #6fabee; --on-blue: #0d1b2a; --blue-soft: #28425f; --on-soft: #d7e6f7; --green: #56c7a5; --red: #ff8f85;
  --red-soft: #45211f; --orange: #f3a45f; --purple: #c8a0e8; --amber: #e6b84a; --amber-soft: #46391a; } }
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body { margin: 0; background: var(--paper); color: var(--ink); line-height: 1.5;
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", sans-serif; }
main { max-width: 1180px; margin: 0 auto; padding: 40px 28px 72px; }
h1 { font-size: 30px; line-height: 1.2; font-weight: 650; letter-spacing: -0.012em; margin: 10px 0 6px; }
h2 { font-size: 19px; font-weight: 650; margin: 52px 0 14px; }
h3 { font-size: 16px; font-weight: 650; margin: 26px 0 8px; }
p { margin: 0 0 12px; }
a { color: inherit; text-decoration-color: var(--muted); text-underline-offset: 3px; }
:focus-visible { outline: 2px solid var(--blue); outline-offset: 2px; }
td.what, .when, .finding { font-variant-numeric: tabular-nums; }
.verdict { display: inline-block; font-size: 13px; font-weight: 700; letter-spacing: 0.07em; padding: 3px 10px;
  border-radius: 3px; border: 1.5px solid currentColor; }
.passed { color: var(--green); } .failed { color: var(--red); } .skipped { color: var(--muted); }
.run { color: var(--muted); font-size: 14px; margin-bottom: 20px; overflow-wrap: anywhere; } .run:has(+ .run) { margin-bottom: 4px; } .run + .run { margin-top: 0; }
.story { font-size: 17px; line-height: 1.6; max-width: 44em; margin-bottom: 28px; }
.facts { display: grid; grid-template-columns: repeat(auto-fit, minmax(150px, 1fr)); gap: 1px; margin: 0;
  background: var(--line); border: 1px solid var(--line); border-radius: 6px; overflow: hidden; }
.facts div { background: var(--panel); padding: 14px 16px; display: flex; flex-direction: column; }
.facts dt { color: var(--muted); font-size: 13px; order: 2; }
.facts dd { margin: 0; font-size: 23px; line-height: 1.25; font-weight: 600; font-variant-numeric: tabular-nums; letter-spacing: -0.01em; }
.facts dd.note { order: 3; color: var(--muted); font-size: 13px; font-weight: 400; line-height: 1.4; margin: 4px 0 0; letter-spacing: 0; }
.facts .bad dd:not(.note) { color: var(--red); }
.claims { list-style: none; margin: 0; padding: 0; }
.claims li { display: grid; grid-template-columns: 26px 1fr minmax(0, 15em); padding: 5px 0; border-top: 1px solid var(--faint); }
.claims li:first-child { border-top: 0; }
.claims .sign { font-weight: 700; }
.claims .finding { color: var(--muted); font-size: 14px; line-height: 24px; overflow-wrap: anywhere; text-align: right; padding-left: 20px; }
.claims .failed .finding { grid-column: 2 / -1; color: var(--red); text-align: left; padding: 0; }
.claims li.failed, .claims li.passed { color: var(--ink); }
.claims .passed .sign { color: var(--green); } .claims .failed .sign { color: var(--red); }
.violations { border-left: 4px solid var(--red); padding: 2px 0 2px 18px; margin: 0 0 8px; list-style: none; }
.violations li { margin: 8px 0; overflow-wrap: anywhere; }
figure { margin: 0; }
.tools { display: flex; flex-wrap: wrap; gap: 6px; align-items: center; margin-bottom: 10px; }
.tools .range { color: var(--muted); font-size: 14px; font-variant-numeric: tabular-nums; margin-left: auto; }
button, select, input[type=search] { font: inherit; font-size: 14px; color: var(--ink); background: var(--panel);
  border: 1px solid var(--line); border-radius: 4px; padding: 5px 11px; min-height: 34px; max-width: 100%; }
button { cursor: pointer; } button:hover { border-color: var(--muted); }
button.sign { min-width: 38px; font-size: 17px; line-height: 1; padding: 5px 0; }
#plot-box { position: relative; border-top: 1px solid var(--line); border-bottom: 1px solid var(--line); padding: 8px 0 2px; }
#picture { display: block; width: 100%; height: auto; touch-action: pan-y; user-select: none; -webkit-user-select: none; cursor: grab; }
#picture:active { cursor: grabbing; }
#tip { position: absolute; z-index: 2; pointer-events: none; white-space: pre-line; max-width: min(480px, 92vw); padding: 6px 10px;
  background: var(--ink); color: var(--paper); font-size: 13px; line-height: 1.45; border-radius: 4px;
  font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
#picture [hidden], [hidden] { display: none; }
#picture text { font-size: 11px; fill: var(--ink); font-variant-numeric: tabular-nums; }
#picture .name text { font-size: 13px; font-weight: 600; }
#picture .name .host { font-size: 10.5px; font-weight: 400; fill: var(--muted); }
#picture.narrow .name .host { display: none; } #picture.narrow .name text { font-size: 12px; }
#picture .name.current text:first-child { fill: var(--blue); text-decoration: underline; }
#picture .tick { fill: var(--muted); text-anchor: middle; }
.grid { stroke: var(--faint); } .base { stroke: var(--line); }
.bar { shape-rendering: geometricPrecision; stroke: transparent; }
rect.master, .swatch.master { fill: var(--blue); background: var(--blue); }
rect.refusing { fill: url(#hatch); stroke: var(--blue); }
.swatch.refusing { background: repeating-linear-gradient(135deg, var(--blue) 0 2px, var(--panel) 2px 5px); border-color: var(--blue); }
.hatch-ground { fill: var(--panel); } .hatch-line { fill: var(--blue); opacity: 0.5; } .dot-ink { fill: var(--muted); }
rect.replica, .swatch.replica { fill: var(--blue-soft); background: var(--blue-soft); }
rect.unlinked { fill: none; stroke: var(--blue); stroke-dasharray: 3 3; } .swatch.unlinked { border: 1.5px dashed var(--blue); }
rect.watching, .swatch.watching { fill: var(--faint); background: var(--faint); } .swatch.watching { border-color: var(--line); }
rect.tilted { fill: var(--amber-soft); stroke: var(--amber); }
rect.starting { fill: var(--faint); } rect.unknown { fill: none; }
rect.down { fill: none; stroke: var(--muted); stroke-dasharray: 1 4; } .swatch.down { border: 1.5px dotted var(--muted); }
rect.paused { fill: url(#dots); stroke: var(--muted); } .swatch.paused { background: radial-gradient(var(--muted) 1px, transparent 1.4px) 0 0 / 5px 5px; border-color: var(--muted); }
rect.remark { fill: var(--orange); } .swatch.remark { height: 3px; background: var(--orange); }
#picture .remark-text { fill: var(--muted); }
#picture .bar-text { font-size: 10.5px; pointer-events: none; }
#picture .master-text { fill: var(--on-blue); } #picture .replica-text { fill: var(--on-soft); }
#picture .refusing-text { font-weight: 700; paint-order: stroke; stroke: var(--panel); stroke-width: 4px; stroke-linejoin: round; }
#picture .watching-text, #picture .down-text, #picture .unknown-text, #picture .starting-text { fill: var(--muted); }
#picture .outage-text { fill: var(--red); font-weight: 600; }
.acknowledged { fill: var(--green); background: var(--green); opacity: 0.75; pointer-events: none; }
.outage { fill: var(--red-soft); background: var(--red-soft); } .swatch.outage { border-color: var(--red); }
.band-hit, .loss-hit { fill: transparent; }
path.lost { pointer-events: none; }
.lost.split-brain { fill: var(--red); background: var(--red); } .lost.asynchronous { fill: var(--orange); background: var(--orange); }
.lost.empty-restart { fill: var(--purple); background: var(--purple); }
.mark { cursor: pointer; } .mark path { stroke: var(--paper); stroke-width: 1.2px; paint-order: stroke; }
.mark:focus-visible, .rule:focus-visible { outline: none; } .mark:focus-visible path, .mark:focus-visible rect { stroke: var(--ink); stroke-width: 3px; }
.suspicion path { fill: var(--orange); } .election path { fill: var(--purple); } .promotion path { fill: var(--blue); }
.switch path { fill: var(--green); } .tilt path { fill: var(--amber); } .state path, .other path { fill: var(--muted); }
.mark.several > path { visibility: hidden; } .pill rect { fill: var(--ink); stroke: var(--paper); stroke-width: 1.2px; paint-order: stroke; }
#picture .pill text { fill: var(--paper); text-anchor: middle; font-size: 10px; font-weight: 650; }
.rule { cursor: default; } .rule line { stroke: var(--ink); stroke-opacity: 0.45; } .rule path { fill: var(--ink); }
#picture .rule-text { font-size: 11.5px; font-weight: 600; paint-order: stroke; stroke: var(--paper); stroke-width: 4px; stroke-linejoin: round; }
.violation line { stroke: var(--red); stroke-dasharray: 5 3; stroke-opacity: 1; } .violation path, #picture .violation text { fill: var(--red); }
.rule:focus-visible line { stroke: var(--blue); stroke-width: 3px; stroke-opacity: 1; }
#cursor line { stroke: var(--blue); stroke-width: 1.5px; } #cursor { pointer-events: none; }
.legend { list-style: none; display: flex; flex-wrap: wrap; gap: 4px 18px; margin: 12px 0 0; padding: 0; font-size: 13px; color: var(--muted); }
.legend li { display: flex; align-items: center; gap: 7px; }
.swatch { display: inline-block; width: 20px; height: 10px; border-radius: 2px; border: 1px solid transparent; }
.key { width: 14px; height: 14px; cursor: default; }
.hint { color: var(--muted); font-size: 13px; margin: 8px 0 0; }
.chain { list-style: none; margin: 0; padding: 0; max-width: 60em; }
.chain li { display: grid; grid-template-columns: 92px 1fr; gap: 0 14px; padding: 6px 0; }
.chain .when { text-align: right; color: var(--muted); font-size: 14px; line-height: 24px; }
.chain a.when[aria-current], td a[aria-current] { color: var(--blue); font-weight: 650; }
.filters { display: flex; flex-wrap: wrap; gap: 8px 12px; align-items: center; margin-bottom: 10px; font-size: 14px; }
.filters label { display: flex; gap: 7px; align-items: center; } .filters input[type=search] { width: 240px; }
.filters input[type=checkbox] { width: 18px; height: 18px; accent-color: var(--blue); }
#filter-amount { color: var(--muted); margin-left: auto; font-variant-numeric: tabular-nums; }
.scroll { overflow: auto; border: 1px solid var(--line); border-radius: 6px; background: var(--panel); }
.scroll.tall { max-height: 62vh; }
table { border-collapse: collapse; width: 100%; font-size: 14px; }
th { text-align: left; font-weight: 600; color: var(--muted); font-size: 13px; background: var(--panel); position: sticky; top: 0; }
th, td { padding: 6px 14px; border-bottom: 1px solid var(--faint); vertical-align: top; }
tr:last-child td { border-bottom: 0; }
td.time { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; color: var(--muted); width: 1%; }
td.who { white-space: nowrap; width: 1%; font-weight: 600; }
td.what { overflow-wrap: anywhere; } tr.fault td { background: var(--faint); font-weight: 600; } tr.violation td.what { color: var(--red); font-weight: 600; }
tr[data-routine] td.what { color: var(--muted); }
.topology td { white-space: normal; } .topology td:first-child { font-weight: 600; white-space: nowrap; }
.aside { color: var(--muted); font-size: 14px; margin-top: 10px; }
@media (max-width: 620px) { main { padding: 22px 16px 48px; } h1 { font-size: 24px; } .story { font-size: 16px; }
  .facts { grid-template-columns: 1fr 1fr; } .facts div { padding: 11px 12px; } .facts dd { font-size: 20px; }
  .claims li { grid-template-columns: 26px 1fr; } .claims .finding { grid-column: 2; text-align: left; padding: 0; }
  .chain li { grid-template-columns: 1fr; } .chain .when { text-align: left; } th, td { padding: 6px 9px; }
  .tools .range { margin-left: 0; width: 100%; } .filters input[type=search] { width: 100%; } .filters label:first-child { width: 100%; } }
@media (prefers-reduced-motion: reduce) { * { scroll-behavior: auto !important; transition: none !important; } }
@media print { :root { --paper: #fff; --panel: #fff; } body { font-size: 11pt; } main { padding: 0; max-width: none; }
  * { -webkit-print-color-adjust: exact; print-color-adjust: exact; } .tools, .filters, .hint, #tip { display: none !important; }
  .scroll.tall { max-height: none; overflow: visible; } th { position: static; } h2, h3 { break-after: avoid; } li, tr, figure { break-inside: avoid; } }
`
