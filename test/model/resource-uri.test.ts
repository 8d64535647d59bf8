import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { hasDotSegment, isOfTemplate, mayMeet, publicUri, serverUri } from "#model/tools/resource-uri";
import { verifies } from "#test/support/verifies";

const slugs = fc.stringMatching(/^[a-z0-9-]{1,24}$/);
const uris = fc.oneof(
  fc.webUrl(),
  fc.string({ minLength: 1, maxLength: 60 }),
  fc.string({ maxLength: 40 }).map((rest) => `ui://${rest}`),
  fc.string({ maxLength: 40 }).map((rest) => `guardhouse://${rest}`),
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
      fc.property(slugs, fc.string({ maxLength: 30 }), (slug, value) => {
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
