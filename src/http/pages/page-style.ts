/** How the hub's pages look: one sheet of paper in the middle of the window, by day and by night. */
export const PAGE_STYLE = `
:root {
  color-scheme: light dark;
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
  --page: #f7f8fa; --sheet: #fff; --ink: #17202e; --quiet: #566173; --line: #d5d9e2; --field: #fff;
  --accent: #4f46e5; --accent-over: #4338ca; --on-accent: #fff; --alarm: #9c1c15; --alarm-fill: #fdeceb;
  --notice-fill: #fff6e0; --notice: #6a4b00;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #0e1218; --sheet: #151b24; --ink: #e7ecf3; --quiet: #a0acbd; --line: #343a47; --field: #0e1218;
    --accent: #9aa5ff; --accent-over: #b4bcff; --on-accent: #10132b; --alarm: #ffb4ab; --alarm-fill: #3b1614;
    --notice-fill: #33290f; --notice: #f3d48a;
  }
}
* { box-sizing: border-box }
[hidden] { display: none !important }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; background: var(--page); color: var(--ink) }
main {
  width: min(26rem, 100vw - 2rem); margin: 1.5rem 0; padding: 2rem; background: var(--sheet);
  border: 1px solid var(--line); border-radius: 14px; box-shadow: 0 1px 2px #0000000d, 0 12px 32px #00000012;
}
.brand { display: flex; align-items: center; gap: .5rem; margin: 0 0 1.5rem; font-weight: 600; color: var(--quiet) }
.brand svg { width: 1.5rem; height: 1.5rem; fill: var(--accent) }
h1 { margin: 0 0 .75rem; font-size: 1.375rem; line-height: 1.25; letter-spacing: -.01em; text-wrap: balance }
p { margin: 0 0 .75rem; overflow-wrap: anywhere }
.quiet { color: var(--quiet); font-size: .875rem }
label { display: block; margin-top: 1rem; font-size: .875rem; font-weight: 500 }
label.inline { font-weight: 400 }
input:not([type=checkbox]) {
  display: block; width: 100%; margin-top: .375rem; padding: .625rem .75rem; font: inherit; font-size: 1rem;
  color: inherit; background: var(--field); border: 1px solid var(--line); border-radius: 8px;
}
:focus-visible { outline: 2px solid var(--accent); outline-offset: 1px }
button {
  width: 100%; margin-top: 1.5rem; padding: .6875rem 1rem; font: inherit; font-weight: 600; cursor: pointer;
  color: var(--on-accent); background: var(--accent); border: 1px solid transparent; border-radius: 8px;
}
button:hover { background: var(--accent-over) }
button.plain { color: var(--ink); background: none; border-color: var(--line) }
button.plain:hover { border-color: var(--quiet) }
button:disabled { opacity: .55; cursor: default }
.actions { display: flex; flex-direction: row-reverse; gap: .75rem }
[role=alert] { margin: 1rem 0 0; padding: .625rem .75rem; border-radius: 8px; color: var(--alarm); background: var(--alarm-fill) }
[role=alert]:empty { margin: 0; padding: 0 }
.notice { padding: .625rem .75rem; border-radius: 8px; font-size: .875rem; color: var(--notice); background: var(--notice-fill) }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .25rem 1rem; margin: 1rem 0; font-size: .875rem }
dt { color: var(--quiet) }
dd { margin: 0; font-weight: 500; overflow-wrap: anywhere }
.choices { max-height: 15rem; overflow: auto; margin-top: 1rem; border: 1px solid var(--line); border-radius: 8px }
fieldset { margin: 0; padding: 0; border: 0 }
fieldset + fieldset { border-top: 1px solid var(--line) }
legend { float: left; width: 100%; padding: .5rem .75rem .125rem; font-size: .8125rem; font-weight: 600; color: var(--quiet) }
fieldset label { clear: both }
.choices label, label.choice {
  display: flex; align-items: center; gap: .625rem; margin: 0; padding: .3125rem .75rem; font-weight: 400; overflow-wrap: anywhere;
}
.choices label:hover { background: var(--page) }
.choices label:has(:disabled) { color: var(--quiet) }
label.choice { margin-top: .75rem; padding-left: .8125rem }
input[type=checkbox] { flex: none; width: 1rem; height: 1rem; margin: 0; accent-color: var(--accent) }
`;
