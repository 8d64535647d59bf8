import { type HtmlPage, pageResponse } from "#http/pages/html-page";
import { PAGE_SCRIPT } from "./page-script";

/** Below this width (720 px) the list does not fit beside the text; the script asks for the same width. */
const NARROW = "45rem";
const HEADER = "3.5rem";

const STYLE = `
body { display: block; place-items: normal }
main {
  width: auto; max-width: none; min-height: 100vh; margin: 0; padding: 0; border: 0; border-radius: 0; box-shadow: none;
  display: grid; grid-template-columns: minmax(14rem, 20rem) minmax(0, 1fr); grid-template-rows: ${HEADER} 1fr;
}
.brand, main > h1 {
  position: sticky; top: 0; z-index: 1; margin: 0; padding: 0 1rem; height: ${HEADER}; display: flex; align-items: center;
  background: var(--sheet); border-bottom: 1px solid var(--line);
}
main > h1 { padding: 0 2rem; font-size: 1.125rem }
nav {
  position: sticky; top: ${HEADER}; height: calc(100vh - ${HEADER}); overflow: auto; padding: 0 1rem 1rem;
  border-right: 1px solid var(--line);
}
nav h2 { font-size: .8rem; text-transform: uppercase; letter-spacing: .05em; margin: 1.25rem 0 .25rem; color: var(--quiet) }
nav ul { list-style: none; margin: 0; padding: 0 }
nav a { display: block; padding: .15rem .4rem; text-decoration: none; color: inherit; font-size: .9rem; border-radius: .25rem }
nav a:hover, nav a[aria-current] { background: color-mix(in srgb, var(--accent) 15%, transparent) }
nav details > summary { display: none }
article { padding: 1.5rem 2rem; max-width: 64rem; min-width: 0 }
article h2 { font-size: 1.4rem; margin: 0 0 .5rem }
article h3 { margin: 2rem 0 .5rem; font-size: 1rem }
article a { color: var(--accent) }
code, pre { font: .875rem/1.5 ui-monospace, monospace; overflow-wrap: anywhere }
pre { overflow: auto; padding: .75rem 1rem; border: 1px solid var(--line); border-radius: .4rem; max-height: 32rem }
.method { font: 600 .7rem ui-monospace, monospace; display: inline-block; min-width: 3.6em }
table { border-collapse: collapse; width: 100% }
td { text-align: left; vertical-align: top; padding: .3rem .75rem .3rem 0; border-bottom: 1px solid var(--line); font-size: .9rem; overflow-wrap: anywhere }
td:first-child { min-width: 6rem }
article details { margin: .4rem 0 }
summary { cursor: pointer }
.tree { padding-left: 1rem; border-left: 1px solid var(--line) }
[role=alert] { display: none }
@media (max-width: ${NARROW}) {
  main { grid-template-columns: auto minmax(0, 1fr); grid-template-rows: ${HEADER} auto 1fr }
  main > h1 { padding: 0 1rem }
  nav, article { grid-column: 1 / -1 }
  nav { position: static; height: auto; max-height: 60vh; border-right: 0; border-bottom: 1px solid var(--line) }
  nav details { margin-top: .75rem }
  nav details > summary { display: list-item; font-size: .9rem; font-weight: 500 }
  article { padding: 1.25rem 1rem }
}
`;

const PAGE: HtmlPage = {
  title: "API reference",
  body: `<nav aria-label="Operations"><label>Search <input type="search" autocomplete="off"></label>
<details><summary>Operations and schemas</summary><div id="list"></div></details></nav>
<article aria-live="polite"><p>Loading…</p></article>`,
  style: STYLE,
  script: PAGE_SCRIPT,
};

/** The document as a page. Nothing of it is in here: the script asks for it, and writes it as text only. */
export const apiPage = (isSecure: boolean): Response => pageResponse(PAGE, isSecure);
