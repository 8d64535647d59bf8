import { type Page, pageResponse } from "#http/html-page";
import { PAGE_SCRIPT } from "./page-script";

const STYLE = `
body { display: block }
main { width: auto; display: grid; grid-template-columns: minmax(14rem, 20rem) minmax(0, 1fr); min-height: 100vh }
main > h1 { display: none }
nav { border-right: 1px solid GrayText; padding: 1rem; box-sizing: border-box; height: 100vh; overflow: auto; position: sticky; top: 0 }
nav h2 { font-size: .8rem; text-transform: uppercase; letter-spacing: .05em; margin: 1.25rem 0 .25rem }
nav ul { list-style: none; margin: 0; padding: 0 }
nav a { display: block; padding: .15rem .4rem; text-decoration: none; color: inherit; font-size: .9rem; border-radius: .25rem }
nav a:hover, nav a[aria-current] { background: color-mix(in srgb, Highlight 25%, transparent) }
article { padding: 1.5rem 2rem; max-width: 60rem }
article h2 { font-size: 1.4rem; margin: 0 }
article h3 { margin: 2rem 0 .5rem; font-size: 1rem }
code, pre { font: .875rem/1.5 ui-monospace, monospace }
pre { overflow: auto; padding: .75rem 1rem; border: 1px solid GrayText; border-radius: .4rem; max-height: 32rem }
.method { font: 600 .7rem ui-monospace, monospace; display: inline-block; min-width: 3.6em }
.quiet { color: GrayText }
table { border-collapse: collapse; width: 100% }
td, th { text-align: left; vertical-align: top; padding: .3rem .75rem .3rem 0; border-bottom: 1px solid color-mix(in srgb, GrayText 40%, transparent); font-size: .9rem }
details { margin: .4rem 0 }
summary { cursor: pointer }
.tree { padding-left: 1rem; border-left: 1px solid color-mix(in srgb, GrayText 40%, transparent) }
[role=alert] { display: none }
@media (max-width: 45rem) { main { grid-template-columns: 1fr } nav { position: static; height: auto; max-height: 40vh; border: 0 } }
`;

const PAGE: Page = {
  title: "API",
  body: `<nav aria-label="Operations"><label>Search <input type="search" autocomplete="off"></label><div id="list"></div></nav>
<article aria-live="polite"><p>Loading…</p></article>`,
  style: STYLE,
  script: PAGE_SCRIPT,
};

/** The document as a page. Nothing of it is in here: the script asks for it, and writes it as text only. */
export const apiPage = (isSecure: boolean): Response => pageResponse(PAGE, isSecure);
