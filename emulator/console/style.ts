/** The console's stylesheet. */
export const stylesheet: string = `
:root {
	color-scheme: light dark;
	--canvas: light-dark(#f5f6f6, #101416);
	--surface: light-dark(#ffffff, #171c1f);
	--sunk: light-dark(#f0f2f2, #1d2327);
	--ink: light-dark(#182022, #e3e8ea);
	--soft: light-dark(#55626a, #9aa7af);
	--line: light-dark(#dfe4e5, #2a3237);
	--edge: light-dark(#b9c3c6, #46525a);
	--accent: light-dark(#0d6b66, #63cbc2);
	--on-accent: light-dark(#ffffff, #06211f);
	--good: light-dark(#1a6e3f, #66c98d);
	--wait: light-dark(#8a5600, #e3b155);
	--bad: light-dark(#a8281d, #f28b80);
	--off: light-dark(#5f6b72, #94a1a9);
	--mono: ui-monospace, "SF Mono", "Cascadia Code", Menlo, Consolas, "DejaVu Sans Mono", monospace;
	font: 13.5px/1.45 Inter, system-ui, -apple-system, "Segoe UI", "Liberation Sans", sans-serif;
	font-variant-numeric: tabular-nums;
	accent-color: var(--accent);
}
*, ::before, ::after { box-sizing: border-box; }
body { margin: 0; background: var(--canvas); color: var(--ink); }
a { color: var(--accent); text-decoration-color: color-mix(in srgb, currentColor 35%, transparent); text-underline-offset: 2px; }
a:hover { text-decoration-color: currentColor; }
code { font: 0.9em/1.4 var(--mono); overflow-wrap: break-word; }
pre { margin: 0; font: 12px/1.55 var(--mono); white-space: pre-wrap; overflow-wrap: anywhere; }
b { font-weight: 600; }
h1, h2, p, ul, dl, dd { margin: 0; padding: 0; }
ul { list-style: none; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
main:focus { outline: none; }
.unseen { position: absolute; width: 1px; height: 1px; margin: -1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.skip { position: absolute; left: -99em; top: 8px; padding: 6px 12px; background: var(--accent); color: var(--on-accent); border-radius: 6px; z-index: 3; }
.skip:focus { left: 8px; }

/* The frame: a bar with the clock, the sections at the side, the page. */
.top { display: flex; align-items: center; gap: 14px; height: 52px; padding: 0 20px; background: var(--surface); border-bottom: 1px solid var(--line); }
.brand { display: flex; align-items: center; gap: 9px; font-weight: 600; font-size: 14.5px; letter-spacing: -0.01em; color: var(--ink); text-decoration: none; }
.address { color: var(--soft); padding-left: 14px; border-left: 1px solid var(--line); }
.live { font-size: 12px; color: var(--good); }
.live::before { content: ""; display: inline-block; width: 7px; height: 7px; margin-right: 6px; border-radius: 50%; background: currentColor; }
#page { display: grid; grid-template-columns: 190px minmax(0, 1fr); max-width: 1560px; }
.clock { grid-column: 2; display: flex; flex-wrap: wrap; align-items: center; justify-content: flex-end; gap: 6px 12px; min-height: 52px; padding: 8px 24px; position: absolute; top: 0; right: 0; max-width: calc(100vw - 420px); }
.clock time { font: 12.5px var(--mono); }
.clock .by input { width: 68px; }
.clock .by .field span { position: absolute; clip-path: inset(50%); }
.row.steps { gap: 0; }
.steps button { border-radius: 0; margin-left: -1px; padding: 0 9px; }
.steps button:first-child { border-radius: 6px 0 0 6px; }
.steps button:last-child { border-radius: 0 6px 6px 0; }
#sections { position: relative; padding: 18px 10px 18px 12px; }
#sections ul { position: sticky; top: 18px; display: grid; gap: 1px; }
#sections a { display: flex; justify-content: space-between; padding: 5px 10px; border-radius: 6px; color: var(--soft); text-decoration: none; }
#sections a:hover { background: var(--sunk); color: var(--ink); }
#sections a[aria-current] { background: color-mix(in srgb, var(--accent) 12%, transparent); color: var(--accent); font-weight: 600; }
#sections b { font-weight: 500; font-size: 12px; }
main { padding: 18px 24px 72px 12px; display: grid; gap: 14px; align-content: start; min-width: 0; }
.title { display: grid; gap: 3px; min-height: 30px; }
h1 { font-size: 21px; line-height: 1.3; font-weight: 620; letter-spacing: -0.018em; overflow-wrap: anywhere; }
.title p { color: var(--soft); }
h2 { font-size: 13.5px; font-weight: 620; }

/* Surfaces. */
.panel, .scroll, .empty { background: var(--surface); border: 1px solid var(--line); border-radius: 9px; }
.panel { padding: 13px 16px 15px; display: grid; gap: 12px; min-width: 0; }
.panel > header { display: flex; flex-wrap: wrap; justify-content: space-between; gap: 2px 16px; align-items: baseline; }
.panel > header p { color: var(--soft); font-size: 12.5px; }
.panel .scroll, .panel .empty { border: 0; border-radius: 0; padding: 0; background: none; }
.panel .scroll { margin: -2px -16px -6px; }
.empty { padding: 26px 18px; color: var(--soft); }
.columns { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 14px; align-items: start; }
.columns > div { display: grid; gap: 14px; min-width: 0; }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(138px, 1fr)); gap: 10px; }
.tiles a { display: grid; gap: 1px; height: 100%; padding: 11px 14px 12px; align-content: start; background: var(--surface); border: 1px solid var(--line); border-radius: 9px; color: inherit; text-decoration: none; }
.tiles a:hover { border-color: var(--edge); }
.tiles span, .tiles small { color: var(--soft); font-size: 12px; }
.tiles b { font-size: 24px; line-height: 1.25; font-weight: 600; letter-spacing: -0.02em; }

/* Tables. */
.scroll { overflow-x: auto; position: relative; }
table { width: 100%; border-collapse: collapse; }
th, td { padding: 6px 10px; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); }
th:first-child, td:first-child { padding-left: 16px; }
th:last-child, td:last-child { padding-right: 16px; }
th { padding-block: 8px 7px; font-size: 12px; font-weight: 500; color: var(--soft); white-space: nowrap; }
tbody tr:last-child td { border-bottom: 0; }
tbody tr:hover { background: color-mix(in srgb, var(--sunk) 65%, transparent); }
td small { display: block; color: var(--soft); font-size: 12px; }
td time { font: 12px/1.6 var(--mono); color: var(--soft); white-space: nowrap; }
td .state { white-space: nowrap; }
.right { text-align: right; }
.name { font-weight: 550; color: var(--ink); text-decoration: none; }
.name.e164, .kind { white-space: nowrap; }
.name:hover { color: var(--accent); text-decoration: underline; }
.id { font-family: var(--mono); font-size: 11.5px !important; }
.none { color: var(--soft); }
.wrap { max-width: 56ch; overflow-wrap: break-word; }
td > div { overflow-wrap: break-word; }
.call b { display: inline-block; min-width: 4.6em; font-size: 12px; }
.facts { display: grid; gap: 6px; }
.facts div { display: grid; grid-template-columns: 132px minmax(0, 1fr); gap: 12px; }
.facts dt { color: var(--soft); }
.facts dd { overflow-wrap: anywhere; }
.facts small { display: block; color: var(--soft); }
.facts time { font: 12px/1.6 var(--mono); }

/* States: a dot and a word. */
.state { color: var(--tone); font-weight: 500; }
.state::before { content: ""; display: inline-block; width: 7px; height: 7px; margin-right: 7px; border-radius: 50%; background: var(--tone); vertical-align: 1px; }
[data-tone="good"] { --tone: var(--good); }
[data-tone="wait"] { --tone: var(--wait); }
[data-tone="bad"] { --tone: var(--bad); }
[data-tone="off"] { --tone: var(--off); }

/* Forms. */
.bar { display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: 10px 16px; }
.search { display: flex; flex-wrap: wrap; align-items: center; gap: 8px; flex: 1 1 420px; }
.search .field { display: flex; align-items: center; gap: 7px; }
.search .wide { flex: 0 1 320px; }
.pager { display: flex; align-items: center; gap: 10px; color: var(--soft); }
.step { padding: 3px 10px; border: 1px solid var(--line); border-radius: 6px; background: var(--surface); text-decoration: none; }
.step[aria-disabled] { color: var(--edge); background: none; }
.row, .decide { display: flex; flex-wrap: wrap; gap: 6px; align-items: center; }
.grid { display: grid; grid-template-columns: repeat(auto-fill, minmax(168px, 1fr)); gap: 11px 14px; align-items: start; }
.grid > .wide, .grid > .actions, .grid > .checks { grid-column: 1 / -1; }
.checks { display: grid; grid-template-columns: repeat(auto-fill, minmax(200px, 1fr)); gap: 10px 14px; }
.actions { display: flex; gap: 8px; }
.field { display: grid; gap: 3px; min-width: 0; }
.field span { color: var(--soft); font-size: 12px; }
.field small { color: var(--soft); font-size: 12px; overflow-wrap: break-word; }
.check { display: grid; gap: 2px; align-content: start; }
.check label { display: flex; gap: 8px; align-items: center; }
.check small { color: var(--soft); font-size: 12px; padding-left: 23px; }
.note { color: var(--soft); font-size: 12.5px; }
.grid > .check { padding-top: 24px; }
input[type=checkbox] { width: 15px; height: 15px; margin: 0; flex: none; }
input:not([type=checkbox]), select, textarea, button { font: inherit; color: inherit; height: 30px; padding: 0 9px; border: 1px solid var(--edge); border-radius: 6px; background: var(--surface); width: 100%; min-width: 0; }
textarea { height: auto; padding: 6px 9px; font: 12.5px/1.5 var(--mono); resize: vertical; }
input::placeholder { color: var(--off); opacity: 0.8; }
button { width: auto; padding: 0 12px; font-weight: 550; cursor: pointer; white-space: nowrap; }
button:hover { background: var(--sunk); }
button.main { background: var(--accent); border-color: var(--accent); color: var(--on-accent); }
button.main:hover { background: color-mix(in srgb, var(--accent) 86%, var(--ink)); }
button.danger { color: var(--bad); border-color: color-mix(in srgb, var(--bad) 45%, var(--line)); }
button.danger:hover { background: color-mix(in srgb, var(--bad) 9%, var(--surface)); }
td button, .clock button, .clock input:not([type=checkbox]) { height: 26px; padding: 0 9px; font-size: 12.5px; }
.more summary { cursor: pointer; color: var(--accent); width: max-content; border-radius: 4px; }
td .more summary { padding: 2px 6px; font-size: 12.5px; }
.more[open] > div { margin-top: 8px; }
main > .more { max-width: 680px; }
.decide .more[open] { flex: 1 0 100%; min-width: 260px; }

/* The result of the last form. */
.notice { position: fixed; left: 50%; bottom: 20px; translate: -50% 0; max-width: min(680px, 92vw); padding: 9px 16px; border-radius: 9px; background: var(--surface); border: 1px solid color-mix(in srgb, var(--tone) 55%, var(--line)); color: var(--tone); font-weight: 500; box-shadow: 0 6px 24px light-dark(#1a222626, #00000080); overflow-wrap: anywhere; z-index: 2; }
.notice:empty { display: none; }

@media (max-width: 980px) {
	.top { height: auto; min-height: 52px; flex-wrap: wrap; gap: 4px 14px; padding-block: 8px; }
	#page { display: block; }
	.clock { position: static; max-width: none; justify-content: flex-start; padding: 8px 20px; background: var(--surface); border-bottom: 1px solid var(--line); }
	#sections { padding: 8px 12px; }
	#sections ul { display: flex; flex-wrap: wrap; position: static; }
	#sections a { gap: 8px; white-space: nowrap; }
	main { padding: 10px 16px 72px; }
	.columns { grid-template-columns: minmax(0, 1fr); }
}
/* Narrow windows: each row is a card, and each cell has the title of its column. */
@media (max-width: 760px) {
	.scroll { overflow: visible; }
	.scroll thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
	.scroll table, .scroll tbody, .scroll tr { display: block; }
	.scroll tr { padding: 8px 0; border-bottom: 1px solid var(--line); }
	.scroll tbody tr:last-child { border-bottom: 0; }
	.scroll td { display: grid; grid-template-columns: 92px minmax(0, 1fr); gap: 10px; padding: 2px 14px; border: 0; text-align: left; }
	.scroll td::before { content: attr(data-title); color: var(--soft); font-size: 12px; line-height: 1.7; }
	.scroll td > div, .scroll td code, .scroll .name, .facts dd { overflow-wrap: anywhere; }
	.facts div { grid-template-columns: 104px minmax(0, 1fr); gap: 10px; }
	.decide .more[open] { min-width: 0; }
	.top .address { padding-left: 0; border: 0; overflow-wrap: anywhere; }
}
@media (prefers-reduced-motion: no-preference) {
	button, a, input { transition: background-color 0.12s, border-color 0.12s; }
}
`;
