/*
 * What a page of the documentation does in the browser: search, theme, copying, and the list of pages on narrow screens.
 * Texts become text nodes only; the page's policy allows nothing else.
 */
import { type Found, foundIn, type IndexedPage, wordsOf } from "./search";

const MAX_FOUND = 12;
const NARROW = matchMedia("(max-width: 56rem)");

const meta = (name: string): string => document.querySelector(`meta[name="${name}"]`)?.getAttribute("content") ?? "";
const root = meta("documentation-root");

const element = (name: string, attributes: Readonly<Record<string, string>>, ...inside: (Node | string)[]) => {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...inside);
  return made;
};

/* Pages */

const menu = document.querySelector<HTMLDetailsElement>(".pages details");
const isApi = document.body.classList.contains("api");
const arrange = (): void => {
  if (menu) menu.open = !NARROW.matches && !isApi;
};
arrange();
NARROW.addEventListener("change", arrange);
document.querySelector(".pages [aria-current]")?.scrollIntoView({ block: "nearest" });

/* Theme: the same choice as the dashboard's, kept in the same place. */

const theme = document.querySelector<HTMLButtonElement>("#theme");
const other = (): string => (document.documentElement.dataset["theme"] === "dark" ? "light" : "dark");
const nameTheme = (): void => {
  if (!theme) return;
  theme.hidden = false;
  theme.textContent = other() === "dark" ? "Dark" : "Light";
  theme.setAttribute("aria-label", `Use the ${other()} theme`);
};
theme?.addEventListener("click", () => {
  const chosen = other();
  document.documentElement.dataset["theme"] = chosen;
  try {
    localStorage.setItem("theme", chosen);
  } catch {
    // A browser that keeps nothing for pages: it holds as long as the page is open.
  }
  nameTheme();
});
nameTheme();

/* Copying */

for (const block of document.querySelectorAll(".code")) {
  const button = element("button", { type: "button", class: "copy" }, "Copy");
  button.addEventListener("click", async () => {
    const text = block.querySelector("code")?.textContent ?? "";
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = "Copied";
    } catch {
      // Without permission, or over plain HTTP, where browsers offer no clipboard.
      button.textContent = "Select it to copy";
    }
  });
  block.append(button);
}

/* What is wider than the page is scrolled, also by keyboard. */

// Told of each size in the frame that has it: no moment is left in which it scrolls and cannot be reached.
const sizes = new ResizeObserver((changed) => {
  for (const { target } of changed) {
    const scrolls = target.scrollWidth > target.clientWidth || target.scrollHeight > target.clientHeight;
    if (scrolls) target.setAttribute("tabindex", "0");
    else target.removeAttribute("tabindex");
  }
});
for (const one of document.querySelectorAll(".wide, pre")) sizes.observe(one);

/* Search: the index is fetched when the field is first used. */

const field = document.querySelector<HTMLInputElement>("#find");
const list = document.querySelector<HTMLElement>("#found");
const count = document.querySelector("#count");

let index: Promise<readonly IndexedPage[]> | null = null;
const indexed = (): Promise<readonly IndexedPage[]> => {
  index ??= fetch(root + meta("documentation-index")).then((answer) => {
    if (answer.ok) return answer.json();
    index = null;
    throw new Error("The search index could not be loaded.");
  });
  return index;
};

/** A text with the words in it marked. */
const marked = (text: string, words: readonly string[]): (Node | string)[] => {
  const parts: (Node | string)[] = [];
  const lower = text.toLowerCase();
  let from = 0;
  while (from < text.length) {
    const next = words
      .map((word) => ({ at: lower.indexOf(word, from), length: word.length }))
      .filter(({ at }) => at >= 0)
      .sort((a, b) => a.at - b.at || b.length - a.length)[0];
    if (!next) break;
    if (next.at > from) parts.push(text.slice(from, next.at));
    parts.push(element("mark", {}, text.slice(next.at, next.at + next.length)));
    from = next.at + next.length;
  }
  return from < text.length ? [...parts, text.slice(from)] : parts;
};

let chosen = -1;
const options = (): HTMLAnchorElement[] => [...(list?.querySelectorAll<HTMLAnchorElement>("[role=option]") ?? [])];

const choose = (at: number): void => {
  const all = options();
  chosen = all.length === 0 ? -1 : (at + all.length) % all.length;
  all.forEach((one, number) => {
    one.setAttribute("aria-selected", String(number === chosen));
  });
  const now = all[chosen];
  if (now) field?.setAttribute("aria-activedescendant", now.id);
  else field?.removeAttribute("aria-activedescendant");
  now?.scrollIntoView({ block: "nearest" });
};

const close = (): void => {
  if (list) list.hidden = true;
  field?.setAttribute("aria-expanded", "false");
  choose(-1);
};

const rowOf = ({ page, title, heading, anchor, excerpt }: Found, number: number, words: readonly string[]): Element =>
  element(
    "a",
    {
      role: "option",
      id: `found-${number}`,
      href: `${root}${page}#${anchor}`,
      "aria-selected": "false",
      tabindex: "-1",
    },
    element("strong", {}, ...marked(heading === title ? title : `${title}: ${heading}`, words)),
    element("span", {}, ...marked(excerpt, words)),
  );

const say = (words: string): void => {
  if (count) count.textContent = words;
};

const show = async (): Promise<void> => {
  if (!field || !list) return;
  const query = field.value;
  const words = wordsOf(query);
  if (words.length === 0) {
    close();
    say("");
    return;
  }
  try {
    const found = foundIn(await indexed(), query, MAX_FOUND);
    // Typed on while the index was loading: that search shows what it finds.
    if (field.value !== query) return;
    const rows = found.map((one, number) => rowOf(one, number, words));
    list.replaceChildren(...(rows.length > 0 ? rows : [element("p", {}, "Nothing found.")]));
    say(found.length === 1 ? "1 result" : `${found.length} results`);
  } catch (error) {
    list.replaceChildren(element("p", {}, error instanceof Error ? error.message : "The search failed."));
  }
  list.hidden = false;
  field.setAttribute("aria-expanded", "true");
  choose(0);
};

field?.addEventListener("input", () => void show());
field?.addEventListener("focus", () => void show());
field?.addEventListener("keydown", (event) => {
  if (event.key === "ArrowDown" || event.key === "ArrowUp") {
    event.preventDefault();
    choose(chosen + (event.key === "ArrowDown" ? 1 : -1));
  } else if (event.key === "Enter") {
    event.preventDefault();
    const link = options()[chosen];
    if (!link) return;
    link.click();
    close();
  } else if (event.key === "Escape") close();
});
document.addEventListener("click", ({ target }) => {
  if (target instanceof Node && !document.querySelector(".find")?.contains(target)) close();
});
list?.addEventListener("click", () => close());
document.addEventListener("keydown", (event) => {
  const { target } = event;
  const isTyping = target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement;
  if (event.key !== "/" || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  field?.focus();
});
