import { afterAll, beforeAll, expect, test } from "bun:test";
import { Hub } from "#test/support/hub";
import { verifies } from "#test/support/verifies";

let hub: Hub;
beforeAll(async () => {
  hub = await Hub.started({ basePath: "/hub", serve: ["--public-url", "http://127.0.0.1:8787/hub"] });
});
afterAll(() => hub[Symbol.asyncDispose]());

const BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
const opened = (path: string, accept: string) => fetch(hub.url + path, { headers: { accept } });

test("a browser at an unknown address gets a page that leads on, a program JSON", async () => {
  verifies("http.nothing-here");
  for (const path of ["/hub/nonsense", "/hub/callz/<script>", "/nonsense"]) {
    const page = await opened(path, BROWSER);
    expect([page.status, page.headers.get("content-type")]).toEqual([404, "text/html; charset=utf-8"]);
    expect(page.headers.get("content-security-policy")).toContain("default-src 'none'");
    const text = await page.text();
    expect(text).toContain('<a href="/hub/calls">Calls</a>');
    expect(text).not.toContain("nonsense");
    expect(text).not.toContain("<script>alert");
  }
  for (const accept of ["*/*", "application/json"]) {
    const answer = await opened("/hub/nonsense", accept);
    expect([answer.status, Object(await answer.json()).error.code]).toEqual([404, "unknown_url"]);
  }
});
