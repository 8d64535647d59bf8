import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { hasDotSegment, isOfTemplate, mayMeet, publicUri, serverUri } from "#model/tools/resource-uri";
import { verifies } from "#test/support/verifies";

const slugs = fc.stringMatching(/^[a-z0-9-]{1,24}$/);
/** What parsers read in several ways is nobody's: see below. */
const texts = (most: number, minLength = 0) =>
  fc.string({ minLength, maxLength: most }).filter((text) => !/[\u0000-\u0020\u007f\\%]/u.test(text));
const uris = fc.oneof(
  fc.webUrl(),
  texts(60, 1),
  texts(40).map((rest) => `ui://${rest}`),
  texts(40).map((rest) => `guardhouse://${rest}`),
);

describe("URIs of resources", () => {
  test("map back to their server and its own URI, from the text alone", () => {
    verifies("tools.resource-uris");
    fc.assert(
      fc.property(slugs, uris, (slug, uri) => {
        expect(serverUri(publicUri(slug, uri))).toEqual({ slug, uri });
        expect(publicUri(slug, uri).startsWith("ui://")).toBe(uri.startsWith("ui://"));
      }),
    );
  });

  test("with spaces have none as callers see them, and are no way to leave a segment out", () => {
    verifies("tools.resource-uris", "tools.resource-traversal");
    const parts = fc.array(fc.oneof(texts(10, 1), fc.constantFrom(" ", "..", ".")), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(slugs, parts, (slug, words) => {
        const own = `note://${words.join(" ")}/end`;
        expect(publicUri(slug, own)).not.toContain(" ");
        const segments = own.split("/").map((one) => one.trim());
        if (segments.some((one) => one === ".." || one === ".")) expect(hasDotSegment(own)).toBe(true);
      }),
    );
    for (const uri of ["note://a/.. /b", "note://a/ ../b", "note://a/%20..%20/b", " note://a", "note://a "]) {
      expect([uri, hasDotSegment(uri)]).toEqual([uri, true]);
    }
    expect(hasDotSegment("note://my notes/a. b")).toBe(false);
  });

  test("of two servers, or two resources, are never the same", () => {
    verifies("tools.resource-uris");
    fc.assert(
      fc.property(slugs, uris, slugs, uris, (slug, uri, other, another) => {
        const isSame = slug === other && uri === another;
        expect(publicUri(slug, uri) === publicUri(other, another)).toBe(isSame);
      }),
    );
  });

  test("of a template map back with what its variables were filled with", () => {
    verifies("tools.resource-uris");
    fc.assert(
      fc.property(slugs, texts(30), (slug, value) => {
        const expanded = publicUri(slug, "note://day/{number}").replace("{number}", () => value);
        expect(serverUri(expanded)).toEqual({ slug, uri: `note://day/${value}` });
        expect(isOfTemplate("note://day/{number}", `note://day/${value}`)).toBe(true);
      }),
    );
  });

  test.each([
    "",
    "x",
    "guardhouse://",
    "guardhouse:///a",
    "guardhouse://files",
    "guardhouse://files/",
    "file:///a",
    "ui:///a",
  ])("%j is nobody's", (uri) => expect(serverUri(uri)).toBeNull());

  test.each([
    "file:///srv/docs/../secret",
    "file:///srv/docs/%2e%2e/secret",
    "file:///srv/docs/%252E%252e%252fsecret",
    "file:///srv/docs/..%5csecret",
    "file:///srv/docs\\..\\secret",
    "db://table?path=../x",
    "file:///srv/./x",
  ])("%s goes up or nowhere", (uri) => {
    verifies("tools.resource-traversal");
    expect(hasDotSegment(uri)).toBe(true);
  });

  const AMBIGUOUS = [
    "file:///srv/docs/.\t./.\t./etc/passwd",
    "file:///srv/docs/.\r\n./secret",
    "file:///srv/docs/.%09./secret",
    "file:///srv/docs/.%250A./secret",
    "file:///srv/docs/.%25250d./secret",
    "file:///srv/docs/a%00",
    "file:///srv/docs/a\u007f",
    "fi\tle:///srv/docs/a",
    "FILE:///srv/docs\\a",
    "https://a.example%255cb",
  ];
  test.each(AMBIGUOUS)("%j is read in several ways, so that it is nobody's and matches no pattern", (uri) => {
    verifies("tools.resource-traversal");
    expect(serverUri(publicUri("files", uri))).toBeNull();
    expect(hasDotSegment(uri)).toBe(true);
  });

  test("what the WHATWG parser reads as another path is refused", () => {
    verifies("tools.resource-traversal");
    const part = fc.constantFrom(".", "..", "/", "\\", "\t", "\n", "\r", "%09", "%2e", "%2E", "%5c", "a", "%20");
    fc.assert(
      fc.property(fc.array(part, { maxLength: 12 }), (parts) => {
        const uri = `file:///srv/docs/${parts.join("")}`;
        const own = serverUri(publicUri("files", uri))?.uri;
        if (own !== undefined && !hasDotSegment(own)) expect(new URL(own).href).toBe(own);
      }),
      { numRuns: 1_000 },
    );
  });

  test.each(["note://a\\b", "file:///srv/docs/a%20b"])("%j is a server's", (uri) => {
    expect(serverUri(publicUri("files", uri))).toEqual({ slug: "files", uri });
  });

  test.each(["file:///srv/docs/a..b", "note://1.5/x", "file:///srv/.hidden", "https://a.example/...", "a%20b"])(
    "%s goes where it says",
    (uri) => expect(hasDotSegment(uri)).toBe(false),
  );

  test("a pattern meets a template where one of its resources may be permitted", () => {
    expect(mayMeet("file:///srv/docs/*", "file:///{+path}")).toBe(true);
    expect(mayMeet("*", "note://{id}")).toBe(true);
    expect(mayMeet("note://day/1", "note://day/{n}")).toBe(true);
    expect(mayMeet("note://day/*", "note://year/{n}")).toBe(false);
  });
});
