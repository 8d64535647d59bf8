import { escaped } from "#core/html";
import { CONTENTS, PAGES } from "./contents";
import type { Heading } from "./markdown";

/** Addresses of what every page loads, below `/docs/`. */
export type PageAssets = {
  readonly theme: string;
  readonly style: string;
  readonly script: string;
  readonly search: string;
};

type Page = {
  /** `recipes/nginx`; empty for the first page. */
  readonly name: string;
  /** What leads from it to `/docs/`, where that does not follow from its name. */
  readonly root?: string;
  readonly title: string;
  readonly body: string;
  readonly headings: readonly Heading[];
  /** Pages beside this one that the navigation does not list, such as other decisions. */
  readonly siblings?: { readonly title: string; readonly pages: readonly { name: string; label: string }[] };
};

/** The page of the API, which has a list of operations of its own beside the text. */
type ApiPage = { readonly script: string };

const ICON =
  "data:image/svg+xml,%3Csvg xmlns='http%3A//www.w3.org/2000/svg' viewBox='0 0 24 24'%3E%3Cpath fill='%234f46e5' fill-rule='evenodd' d='M12 1 2 7v3h2v12h16V10h2V7zM8 22v-7a4 4 0 0 1 8 0v7h-2v-7a2 2 0 0 0-4 0v7z'/%3E%3C/svg%3E";
const GATE =
  '<svg viewBox="0 0 24 24" aria-hidden="true"><path fill-rule="evenodd" d="M12 1 2 7v3h2v12h16V10h2V7zM8 22v-7a4 4 0 0 1 8 0v7h-2v-7a2 2 0 0 0-4 0v7z"/></svg>';

export const HOME = "";
export const API = "api";

/** What leads from a page to `/docs/`: links are relative, so that they hold below any base path. */
export const rootFrom = (name: string): string => "../".repeat(name.split("/").length - 1) || "./";

export const addressFrom = (from: string, to: string): string => rootFrom(from) + to;

type Link = { readonly name: string; readonly label: string };

const rootOf = ({ name, root }: Page): string => root ?? rootFrom(name);

const linkTo = (page: Page, { name, label }: Link): string => {
  const current = name === page.name ? ' aria-current="page"' : "";
  return `<li><a href="${escaped(rootOf(page) + name)}"${current}>${escaped(label)}</a></li>`;
};

const listOf = (page: Page, title: string, links: readonly Link[]): string =>
  `<p class="group">${escaped(title)}</p>\n<ul>${links.map((link) => linkTo(page, link)).join("\n")}</ul>`;

const navigation = (page: Page): string =>
  [
    ...CONTENTS.map(({ title, pages }) =>
      // The reference of the API is made by the hub, and stands beside what is said about it.
      listOf(page, title, title === "Operate" ? [...pages, { name: API, label: "API reference" }] : pages),
    ),
    ...(page.siblings ? [listOf(page, page.siblings.title, page.siblings.pages)] : []),
  ].join("\n");

const DEEPEST = 3;

const outline = (headings: readonly Heading[]): string => {
  const shown = headings.filter(({ depth }) => depth > 1 && depth <= DEEPEST);
  if (shown.length < 2) return "";
  const rows = shown.map(
    ({ depth, text, anchor }) => `<li class="depth-${depth}"><a href="#${escaped(anchor)}">${escaped(text)}</a></li>`,
  );
  return `<nav class="outline" aria-labelledby="outline"><p id="outline" class="group">On this page</p><ul>${rows.join("\n")}</ul></nav>`;
};

const ways = (name: string): string => {
  const at = PAGES.findIndex((page) => page.name === name);
  if (at < 0) return "";
  const way = (page: Link | undefined, words: string, rel: string): string =>
    page
      ? `<a rel="${rel}" href="${escaped(addressFrom(name, page.name))}"><span>${words}</span> ${escaped(page.label)}</a>`
      : "<span></span>";
  return `<footer class="ways">${way(PAGES[at - 1], "Previous", "prev")}${way(PAGES[at + 1], "Next", "next")}</footer>`;
};

const OPERATIONS = `<nav class="operations" aria-label="Operations"><label>Find an operation <input type="search" autocomplete="off"></label>
<details><summary>Operations and schemas</summary><div id="list"></div></details></nav>`;

/** One whole page. Everything it loads is a file of the hub: it needs no inline script and no inline style. */
export const framed = (page: Page, assets: PageAssets, api?: ApiPage): string => {
  const { name, title, body, headings } = page;
  const root = rootOf(page);
  const heading = name === HOME ? "Guardhouse documentation" : `${title} · Guardhouse documentation`;
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="color-scheme" content="light dark">
<meta name="documentation-root" content="${root}">
<meta name="documentation-index" content="${escaped(assets.search)}">
<title>${escaped(heading)}</title>
<link rel="icon" href="${ICON}">
<script src="${root}${escaped(assets.theme)}"></script>
<link rel="stylesheet" href="${root}${escaped(assets.style)}">
<script type="module" src="${root}${escaped(assets.script)}"></script>
${api ? `<script type="module" src="${root}${escaped(api.script)}"></script>` : ""}
<body${api ? ' class="api"' : ""}>
<a class="skip" href="#content">Skip to content</a>
<header class="bar">
<a class="brand" href="${root}">${GATE}Guardhouse <span>docs</span></a>
<search class="find"><input id="find" type="search" role="combobox" aria-label="Search the documentation" aria-expanded="false" aria-controls="found" aria-autocomplete="list" placeholder="Search" autocomplete="off" spellcheck="false"><div id="found" class="results" role="listbox" aria-label="Results" hidden></div></search>
<p class="sr" role="status" id="count"></p>
<button type="button" id="theme" hidden>Theme</button>
<a class="out" href="${root}../">Dashboard</a>
</header>
<div class="columns">
<div class="side">
<nav class="pages" aria-label="Pages"><details open><summary>All pages</summary>
${navigation(page)}
</details></nav>
${api ? OPERATIONS : ""}
</div>
<main id="content" tabindex="-1">
${body}
${ways(name)}
</main>
${outline(headings)}
</div>
</html>
`;
};

const card = (root: string, { name, label, about }: Link & { readonly about: string }): string =>
  `<li><a href="${escaped(root + name)}">${escaped(label)}</a><span>${escaped(about)}</span></li>`;

/** The first page: everything there is, by task. */
const homeBody = (root: string): string => {
  const groups = CONTENTS.map(({ title, pages }) => {
    const api = { name: API, label: "API reference", about: "Every operation with its fields, answers and errors." };
    const cards = (title === "Operate" ? [...pages, api] : pages).map((page) => card(root, page));
    return `<section><h2 id="${title.toLowerCase().replaceAll(" ", "-")}">${escaped(title)}</h2><ul class="cards">${cards.join("\n")}</ul></section>`;
  });
  return `<h1>Documentation</h1>
<p>Guardhouse is a gateway between AI agents and the models and tools they call. This documentation belongs to the version that serves it.</p>
${groups.join("\n")}`;
};

/** Below `/docs/`, and at `/docs`, from where its links lead into the folder. */
export const homeAt = (root: "./" | "docs/", assets: PageAssets): string =>
  framed({ name: HOME, title: "Documentation", root, body: homeBody(root), headings: [] }, assets);
