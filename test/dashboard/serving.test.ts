import { afterAll, beforeAll, expect, test } from "bun:test";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { SCREENS } from "#http/dashboard";
import { Hub } from "#test/support/hub";
import { verifies } from "#test/support/verifies";

let hub: Hub;
beforeAll(async () => {
  hub = await Hub.started();
});
afterAll(() => hub[Symbol.asyncDispose]());

const linked = (html: string): string[] => [...html.matchAll(/(?:src|href)="(\/[^"]+)"/g)].map(([, path = ""]) => path);

test("the page is at every screen's address and below it, under a policy that lets nothing else in", async () => {
  verifies("dashboard.served");
  const nonces = new Set<string>();
  const addresses = SCREENS.flatMap((path) => (path === "/" ? [path] : [path, `${path}/a`, `${path}/a/b?c=<script>`]));
  for (const path of addresses) {
    const answer = await hub.fetch(path);
    expect([path, answer.status]).toEqual([path, 200]);
    const policy = answer.headers.get("content-security-policy") ?? "";
    nonces.add(/'nonce-([^']+)'/.exec(policy)?.[1] ?? "");
    for (const rule of [
      "default-src 'none'",
      "script-src 'self'",
      "connect-src 'self'",
      "frame-ancestors 'none'",
      "require-trusted-types-for 'script'",
    ]) {
      expect(policy.split("; ")).toContain(rule);
    }
    const html = await answer.text();
    expect(html).not.toMatch(/<script(?![^>]* src="\/assets\/)|https?:\/\/(?!www\.w3\.org)|\son\w+=/);
    expect(html).not.toContain("<script>");
  }
  expect(nonces.size).toBe(addresses.length);
});

test("an address of no screen is no page", async () => {
  verifies("dashboard.served");
  for (const path of [
    "/nothing",
    "/api/nothing",
    "/v1/nothing",
    "/mcp/nothing",
    "/assets/../main.js",
    "/assets/x.js",
  ]) {
    const answer = await hub.fetch(path);
    expect([path, answer.status, answer.headers.get("content-type")]).toEqual([path, 404, "application/json"]);
  }
});

test("files are compressed as the browser accepts it, and never asked for twice", async () => {
  verifies("dashboard.assets");
  const files = linked(await (await hub.fetch("/")).text());
  expect(files.length).toBe(3);
  for (const path of files) {
    const as = (encoding: string) =>
      fetch(`${hub.url}${path}`, { headers: { "accept-encoding": encoding }, decompress: false });
    const [plain, gzip, brotli] = [await as("identity"), await as("gzip, deflate"), await as("gzip, deflate, br")];
    const body = Buffer.from(await plain.arrayBuffer());
    expect([plain, gzip, brotli].map(({ headers }) => headers.get("content-encoding"))).toEqual([null, "gzip", "br"]);
    expect(gunzipSync(await gzip.arrayBuffer())).toEqual(body);
    expect(brotliDecompressSync(await brotli.arrayBuffer())).toEqual(body);
    for (const { headers } of [plain, gzip, brotli]) {
      expect(headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
      expect(headers.get("vary")).toBe("accept-encoding");
      expect(headers.get("x-content-type-options")).toBe("nosniff");
    }
  }
});

test("the first load is small", async () => {
  verifies("dashboard.first-load");
  const page = await hub.fetch("/");
  let bytes = 0;
  const seen = new Set<string>();
  const load = async (path: string): Promise<void> => {
    if (seen.has(path)) return;
    seen.add(path);
    const answer = await fetch(`${hub.url}${path}`, { headers: { "accept-encoding": "br" }, decompress: false });
    const body = Buffer.from(await answer.arrayBuffer());
    bytes += body.length;
    const text = brotliDecompressSync(body).toString();
    // What a file imports at once; what it imports when a screen is opened comes later.
    for (const [, name] of text.matchAll(/(?:from|import)\s*"\.\/(chunk-[\w-]+\.js)"/g)) await load(`/assets/${name}`);
  };
  for (const path of linked(await page.text())) await load(path);
  expect(seen.size).toBeGreaterThanOrEqual(3);
  expect(bytes).toBeLessThan(180_000);
});
