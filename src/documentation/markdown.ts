import { Marked, type MarkedToken, type Token, type Tokens } from "marked";
import { escaped } from "#core/html";

export type Heading = { readonly depth: number; readonly text: string; readonly anchor: string };

/** What stands below one heading, as text to be searched. */
export type Section = { readonly heading: string; readonly anchor: string; readonly text: string };

export type RenderedPage = {
  readonly title: string;
  readonly html: string;
  readonly headings: readonly Heading[];
  readonly sections: readonly Section[];
  /** Everything that a link into the page can name. */
  readonly anchors: ReadonlySet<string>;
};

export type Picture = { readonly path: string; readonly width: number; readonly height: number };

/** How what a page names is addressed from it. Both throw on what does not exist. */
export type Addresses = {
  link(href: string): string;
  /** One picture, or one for each theme. */
  picture(href: string): { readonly light: Picture; readonly dark: Picture | null };
};

/** Thrown at build time: names the page and what is wrong in it. */
class MarkdownError extends Error {
  override readonly name = "MarkdownError";
}

/** The anchor of a heading as GitHub makes it: lower case, no punctuation, dashes for spaces. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replaceAll(" ", "-");

/** Marked types its own kinds and those of extensions as one; no extension is used. */
const own = (token: Token): MarkedToken => token as MarkedToken;

const isComment = (html: string): boolean => /^\s*<!--[\s\S]*-->\s*$/.test(html);

const cellsOf = ({ header, rows }: Tokens.Table): string =>
  [header, ...rows].map((row) => row.map(({ tokens }) => textOf(tokens)).join(" · ")).join("\n");

/** The words of tokens, without their marks. */
export const textOf = (tokens: readonly Token[]): string =>
  tokens
    .map((given): string => {
      const token = own(given);
      switch (token.type) {
        case "html":
          return isComment(token.text) ? "" : token.text;
        case "hr":
        case "def":
        case "checkbox":
          return "";
        case "br":
        case "space":
          return " ";
        case "table":
          return cellsOf(token);
        case "list":
          return token.items.map((item) => textOf(item.tokens)).join("\n");
        case "code":
        case "codespan":
        case "escape":
          return token.text;
        case "text":
          return token.tokens ? textOf(token.tokens) : token.text;
        case "image":
          return token.text;
        default:
          return textOf(token.tokens);
      }
    })
    .join("");

/** A row is named by the code in its first cell, so that a setting or an error has an address. */
const ROW_NAME = /^[\w.-]{2,64}$/;

const rowName = (row: readonly Tokens.TableCell[]): string | null => {
  const [only, ...more] = row[0]?.tokens ?? [];
  if (only?.type !== "codespan" || more.length > 0) return null;
  const name = own(only);
  return name.type === "codespan" && ROW_NAME.test(name.text) ? name.text : null;
};

const MAX_UNBROKEN = 16;

const pictureTag = ({ path, width, height }: Picture, text: string, theme: string): string =>
  `<img${theme} src="${escaped(path)}" alt="${escaped(text)}" width="${width}" height="${height}" loading="lazy" decoding="async">`;

/** Names that are given once on a page. */
class Anchors {
  readonly all = new Set<string>();

  /** With a number where it is taken, as GitHub does. */
  give(wanted: string): string {
    let anchor = wanted;
    for (let n = 1; this.all.has(anchor); n += 1) anchor = `${wanted}-${n}`;
    this.all.add(anchor);
    return anchor;
  }
}

/** Headings first: a row of a table does not take the name of a heading that comes later. */
const sectionsOf = (tokens: readonly Token[], anchors: Anchors) => {
  const headings: Heading[] = [];
  const sections: Section[] = [];
  for (const given of tokens) {
    const token = own(given);
    if (token.type === "heading") {
      const text = textOf(token.tokens);
      const anchor = anchors.give(anchorOf(text));
      headings.push({ depth: token.depth, text, anchor });
      sections.push({ heading: text, anchor, text: "" });
    } else {
      const section = sections.pop();
      const text = textOf([token]).trim();
      if (section) sections.push({ ...section, text: `${section.text}\n${text}`.trim() });
    }
  }
  return { headings, sections };
};

type Inline = (tokens: Token[]) => string;

const tableOf = ({ header, rows, align }: Tokens.Table, inline: Inline, anchors: Anchors): string => {
  const line = (tag: string, cells: readonly Tokens.TableCell[]): string =>
    cells
      .map(({ tokens }, column) => {
        const side = align[column];
        return `<${tag}${side ? ` class="${side}"` : ""}>${inline(tokens)}</${tag}>`;
      })
      .join("");
  const body = rows.map((row) => {
    const wanted = rowName(row);
    const id = wanted === null || anchors.all.has(wanted) ? "" : ` id="${escaped(anchors.give(wanted))}"`;
    return `<tr${id}>${line("td", row)}</tr>`;
  });
  // A table without words above its columns has no row of headings.
  const isHeaded = header.some(({ tokens }) => textOf(tokens).trim() !== "");
  const head = isHeaded ? `<thead><tr>${line("th", header)}</tr></thead>` : "";
  return `<div class="wide"><table>${head}<tbody>${body.join("\n")}</tbody></table></div>\n`;
};

const headingOf = (depth: number, anchor: string, text: string, words: string): string => {
  const id = escaped(anchor);
  if (depth === 1) return `<h1 id="${id}">${text}</h1>\n`;
  const link = `<a class="anchor" href="#${id}" aria-label="Link to ${escaped(words)}">#</a>`;
  return `<h${depth} id="${id}">${text}${link}</h${depth}>\n`;
};

const codeOf = ({ text, lang }: Tokens.Code): string => {
  const language = /^[\w-]+/.exec(lang ?? "")?.[0];
  return `<div class="code"><pre tabindex="0"><code${language ? ` class="language-${language}"` : ""}>${escaped(text)}</code></pre></div>\n`;
};

/** Long names may go on in the next line behind their dots, slashes and underscores. */
const breakable = (html: string): string =>
  html.length > MAX_UNBROKEN ? html.replaceAll(/([_./])(?=[\w/{])/g, "$1<wbr>") : html;

const linkOf = (href: string, text: string, addresses: Addresses): string => {
  // Addresses of e-mail are examples here.
  if (href.startsWith("mailto:")) return text;
  if (/^https?:/.test(href)) return `<a href="${escaped(href)}" rel="noreferrer">${text}</a>`;
  return `<a href="${escaped(addresses.link(href))}">${text}</a>`;
};

const pictureOf = (href: string, text: string, addresses: Addresses): string => {
  const { light, dark } = addresses.picture(href);
  if (dark === null) return pictureTag(light, text, "");
  return pictureTag(light, text, ' class="light"') + pictureTag(dark, text, ' class="dark"');
};

/** Says on which page something is wrong. */
const checked = (name: string, addresses: Addresses): Addresses => {
  const at = <T>(href: string, found: () => T): T => {
    try {
      return found();
    } catch (error) {
      throw new MarkdownError(`docs/${name}.md: ${href}: ${error instanceof Error ? error.message : "refused"}`);
    }
  };
  return {
    link: (href) => at(href, () => addresses.link(href)),
    picture: (href) => at(href, () => addresses.picture(href)),
  };
};

/** One Markdown document as HTML. Comments are left out; what else looks like HTML in it, such as `<id>`, is text. */
export const rendered = (name: string, markdown: string, given: Addresses): RenderedPage => {
  const addresses = checked(name, given);
  const anchors = new Anchors();
  const marked = new Marked({ gfm: true });
  const tokens = marked.lexer(markdown);
  const { headings, sections } = sectionsOf(tokens, anchors);
  const [title] = headings;
  if (title?.depth !== 1) throw new MarkdownError(`docs/${name}.md does not begin with a title`);

  let heading = 0;
  marked.use({
    renderer: {
      heading({ tokens: inner, depth }) {
        const anchor = headings[heading]?.anchor ?? "";
        heading += 1;
        return headingOf(depth, anchor, this.parser.parseInline(inner), textOf(inner));
      },
      html: ({ text }) => (isComment(text) ? "" : escaped(text)),
      link({ href, tokens: inner }) {
        return linkOf(href, this.parser.parseInline(inner), addresses);
      },
      image: ({ href, text }) => pictureOf(href, text, addresses),
      table(token) {
        return tableOf(token, (inner) => this.parser.parseInline(inner), anchors);
      },
      code: codeOf,
      codespan: ({ text }) => `<code>${breakable(escaped(text))}</code>`,
    },
  });
  const html = marked.parser(tokens);
  if (heading !== headings.length) throw new MarkdownError(`docs/${name}.md has a heading within a list or quotation`);
  return { title: title.text, html, headings, sections, anchors: anchors.all };
};
