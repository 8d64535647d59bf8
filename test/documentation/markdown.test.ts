import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { type Addresses, rendered } from "#documentation/markdown";
import { foundIn, type IndexedPage, wordsOf } from "#documentation/search";
import { verifies } from "#test/support/verifies";

const ADDRESSES: Addresses = {
  link: (href) => href,
  picture: (href) => ({ light: { path: href, width: 10, height: 10 }, dark: null }),
};
const of = (markdown: string) => rendered("page", markdown, ADDRESSES);

/** The elements a page may consist of; each attribute a renderer writes. */
const TAGS =
  /^\/?(h[1-6]|p|a|code|pre|div|table|thead|tbody|tr|th|td|ul|ol|li|em|strong|del|img|br|wbr|hr|blockquote|input)$/;

/** Names of all elements, as a parser of HTML finds them. */
const elementsIn = async (html: string): Promise<string[]> => {
  const names: string[] = [];
  await new HTMLRewriter()
    .on("*", { element: ({ tagName }) => void names.push(tagName) })
    .transform(new Response(html))
    .text();
  return names;
};

describe("rendering", () => {
  test("headings get anchors as on GitHub, the same one twice a number", () => {
    verifies("docs.links");
    const { headings, html, title } = of("# A `b` c\n\n## Who's in?\n\n## Who's in?\n");
    expect(title).toBe("A b c");
    expect(headings.map(({ anchor }) => anchor)).toEqual(["a-b-c", "whos-in", "whos-in-1"]);
    expect(html).toContain('<h2 id="whos-in-1">');
  });

  test("a row is named by the code in its first cell, unless a heading has the name", () => {
    const { html, anchors } = of(
      "# T\n\n## `taken`\n\n| Key | |\n| --- | --- |\n| `guard.mode` | a |\n| `taken` | b |\n",
    );
    expect(html).toContain('<tr id="guard.mode">');
    expect(html.match(/id="taken"/g)).toHaveLength(1);
    expect(anchors.has("guard.mode")).toBe(true);
  });

  test("comments are left out, other HTML is text", () => {
    const { html } = of("# T\n\n<!-- reference: x -->\n\nAn <id> and <script>alert(1)</script>.\n");
    expect(html).not.toContain("reference");
    expect(html).not.toContain("<script");
    expect(html).toContain("An &lt;id&gt; and &lt;script&gt;");
  });

  test("no text makes an element, an attribute or a script of its own", async () => {
    const piece = fc.oneof(
      fc.string({ maxLength: 30 }),
      fc.constantFrom(
        "<img src=x onerror=y>",
        "</code>",
        '"',
        "'>",
        "`",
        "|",
        "\n\n",
        "[a](b)",
        "](javascript:x)",
        "![",
        "<!--",
      ),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 12 }), async (pieces) => {
        const { html } = of(
          `# T\n\n${pieces.join("")}`.replaceAll(/^\s*>+\s*#/gm, "").replaceAll(/^[\s*+\->\d.)]+#/gm, ""),
        );
        for (const name of await elementsIn(html)) expect(name).toMatch(TAGS);
        expect(html).not.toMatch(/<[^>"]*(?:"[^"]*"[^>"]*)*\son\w+=/);
      }),
    );
  });
});

describe("the search", () => {
  const word = fc.stringMatching(/^[a-z]{1,6}$/);
  const text = fc.array(word, { maxLength: 30 }).map((words) => words.join(" "));
  const section = fc.tuple(text, word, text);
  const page = fc.tuple(word, text, fc.array(section, { maxLength: 5 }));
  const pages: fc.Arbitrary<IndexedPage[]> = fc.array(page, { maxLength: 5 });

  test("finds exactly the sections that have all words, as many as are wanted", () => {
    verifies("docs.search");
    fc.assert(
      fc.property(pages, fc.array(word, { minLength: 1, maxLength: 3 }), (all, words) => {
        const query = words.join(" ");
        const has = (whole: string) => wordsOf(query).every((one) => whole.toLowerCase().includes(one));
        const fitting = all.flatMap(([name, title, sections]) =>
          sections
            // A word is looked for in the title, the heading and the text, each by itself.
            .filter(([heading, , body]) =>
              wordsOf(query).every((one) => [title, heading, body].some((part) => part.includes(one))),
            )
            .map(([heading, anchor]) => JSON.stringify([name, heading, anchor])),
        );
        const found = foundIn(all, query, 1_000);
        expect(
          found.map(({ page: name, heading, anchor }) => JSON.stringify([name, heading, anchor])).toSorted(),
        ).toEqual(fitting.toSorted());
        expect(foundIn(all, query, 2)).toEqual(found.slice(0, 2));
        expect(has(query)).toBe(true);
      }),
    );
  });

  test("a title goes before a heading, and a heading before a mention", () => {
    verifies("docs.search");
    const all: IndexedPage[] = [
      ["a", "Audit", [["Records", "records", "A webhook is told of them."]]],
      ["b", "Events", [["Webhook deliveries", "deliveries", "They are signed."]]],
      ["c", "Webhooks", [["Webhooks", "webhooks", "Signed notifications."]]],
    ];
    expect(foundIn(all, "WEBHOOK", 3).map(({ page: name }) => name)).toEqual(["c", "b", "a"]);
    expect(foundIn(all, "   ", 3)).toEqual([]);
  });

  test("an excerpt is short, from the text, and has the first word found in it", () => {
    verifies("docs.search");
    fc.assert(
      fc.property(text, word, text, (before, wanted, after) => {
        const body = `${before} ${wanted} ${after}`;
        const [first] = foundIn([["p", "", [["", "", body]]]], wanted, 1);
        expect(first?.excerpt).toContain(wanted);
        expect(body).toContain((first?.excerpt ?? "?").replaceAll("…", "").trim());
        expect(first?.excerpt.length).toBeLessThanOrEqual(162);
      }),
    );
  });
});
