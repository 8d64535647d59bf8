import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { configKeys } from "#config/schema";
import { ERROR_CATALOGUE } from "#core/errors";
import { HELP } from "#dashboard/shell/help";
import { SCREENS } from "#dashboard/shell/screens";
import { PAGES } from "#documentation/contents";
import { Hub } from "#test/support/hub";
import { verifies } from "#test/support/verifies";

const BASE = "/hub";

let hub: Hub;
beforeAll(async () => {
  hub = await Hub.started({ basePath: BASE, serve: ["--public-url", "http://127.0.0.1:8787/hub"] });
});
afterAll(() => hub[Symbol.asyncDispose]());

type Page = {
  readonly links: readonly string[];
  readonly loaded: readonly string[];
  readonly ids: ReadonlySet<string>;
};

/** What a page leads to and loads, as absolute addresses, and what can be named in it. */
const parsed = async (address: string, html: string): Promise<Page> => {
  const links: string[] = [];
  const loaded: string[] = [];
  const ids = new Set<string>();
  const resolved = (value: string) => new URL(value, address).href;
  await new HTMLRewriter()
    .on("[id]", { element: (it) => void ids.add(it.getAttribute("id") ?? "") })
    .on("a[href]", { element: (it) => void links.push(resolved(it.getAttribute("href") ?? "")) })
    .on("script[src], img[src]", { element: (it) => void loaded.push(resolved(it.getAttribute("src") ?? "")) })
    .on("link[rel=stylesheet]", { element: (it) => void loaded.push(resolved(it.getAttribute("href") ?? "")) })
    .transform(new Response(html))
    .text();
  return { links, loaded, ids };
};

const withoutHash = (address: string): string => address.replace(/#.*$/, "");

/** Every page that can be reached from the first one by links within the documentation. */
const walked = async (): Promise<Map<string, Page>> => {
  const pages = new Map<string, Page>();
  const waiting = [`${hub.url}${BASE}/docs/`, `${hub.url}${BASE}/docs`];
  for (let address = waiting.pop(); address !== undefined; address = waiting.pop()) {
    if (pages.has(address)) continue;
    const answer = await fetch(address);
    expect([address, answer.status]).toEqual([address, 200]);
    const isPage = answer.headers.get("content-type")?.startsWith("text/html");
    const page = await parsed(address, isPage ? await answer.text() : "");
    pages.set(address, page);
    const inside = page.links.map(withoutHash).filter((link) => link.startsWith(`${hub.url}${BASE}/docs/`));
    waiting.push(...inside.filter((link) => !pages.has(link)));
  }
  return pages;
};

describe("the documentation", () => {
  test("every link, anchor and picture leads to something that is served, below a base path too", async () => {
    verifies("docs.links", "docs.served");
    const pages = await walked();
    for (const { name } of PAGES) expect([...pages.keys()]).toContain(`${hub.url}${BASE}/docs/${name}`);
    const isDead = (link: string): boolean => {
      const anchor = decodeURIComponent(new URL(link).hash.slice(1));
      return anchor !== "" && pages.get(withoutHash(link))?.ids.has(anchor) === false;
    };
    const dead = [...pages].flatMap(([address, { links }]) =>
      links.filter(isDead).map((link) => `${address}: ${link}`),
    );
    expect(dead).toEqual([]);
    const inside = [...pages.values()].flatMap(({ links }) => links).map(withoutHash);
    const others = new Set([
      ...inside.filter((link) => link.startsWith(hub.url) && !pages.has(link)),
      ...[...pages.values()].flatMap(({ loaded }) => loaded),
    ]);
    for (const address of others) {
      expect(address.startsWith(`${hub.url}${BASE}/`)).toBe(true);
      expect([address, (await fetch(address)).status]).toEqual([address, 200]);
    }
    // The dashboard, and what pages load.
    expect(others.size).toBeGreaterThan(5);
  });

  test("pages are for everybody, with nothing from elsewhere, nothing inline, and a policy that says so", async () => {
    verifies("docs.served");
    for (const path of ["", "getting-started", "api", "recipes/nginx"]) {
      const answer = await hub.fetch(`${BASE}/docs/${path}`);
      expect([path, answer.status]).toEqual([path, 200]);
      const policy = (answer.headers.get("content-security-policy") ?? "").split("; ");
      for (const rule of ["default-src 'none'", "script-src 'self'", "style-src 'self'", "frame-ancestors 'none'"]) {
        expect(policy).toContain(rule);
      }
      expect(policy).toContain("require-trusted-types-for 'script'");
      const html = await answer.text();
      expect(html).not.toMatch(/<script(?![^>]* src="\.)|<style|\sstyle=|\son\w+=/);
    }
  });

  test("a page is compressed for who takes that, and there as Markdown", async () => {
    verifies("docs.served");
    const ask = (path: string, headers: Record<string, string>) =>
      fetch(`${hub.url}${BASE}/docs/${path}`, { headers, decompress: false });
    const plain = await ask("webhooks", { "accept-encoding": "identity" });
    const packed = await ask("webhooks", { "accept-encoding": "gzip, br" });
    expect([plain, packed].map(({ headers }) => headers.get("content-encoding"))).toEqual([null, "br"]);
    expect((await packed.bytes()).length * 2).toBeLessThan((await plain.bytes()).length);
    const markdown = await ask("webhooks.md", { "accept-encoding": "identity" });
    expect(markdown.headers.get("content-type")).toBe("text/markdown; charset=utf-8");
    expect(await markdown.text()).toStartWith("# Webhooks\n");
  });

  test("an address without a page is 404: a page for people, JSON for programs", async () => {
    verifies("docs.served");
    for (const path of ["nonsense", "../docs/..%2fmanifest.json", "parts.bin", "constructor"]) {
      const person = await hub.fetch(`${BASE}/docs/${path}`, { headers: { accept: "text/html" } });
      expect([path, person.status]).toEqual([path, 404]);
      const program = await hub.fetch(`${BASE}/docs/${path}`);
      expect(program.status).toBe(404);
      expect(Object(await program.json()).error.code).toMatch(/^(not_found|unknown_url)$/);
    }
  });

  test("every screen has a section about its task, every setting and error a row", async () => {
    verifies("docs.help");
    expect(Object.keys(HELP).toSorted()).toEqual(SCREENS.map(([path]) => path).toSorted());
    const pages = new Map<string, Page>();
    const pageOf = async (name: string): Promise<Page> => {
      const address = `${hub.url}${BASE}/docs/${name}`;
      const page = pages.get(name) ?? (await parsed(address, await (await fetch(address)).text()));
      pages.set(name, page);
      return page;
    };
    const places = [
      ...Object.values(HELP),
      ...configKeys().map(({ path }) => `configuration#${path}`),
      ...Object.keys(ERROR_CATALOGUE).map((code) => `errors#${code}`),
    ];
    const dead: string[] = [];
    for (const place of places) {
      const [name = "", anchor] = place.split("#");
      const { ids } = await pageOf(name);
      if (anchor !== undefined && !ids.has(anchor)) dead.push(place);
    }
    expect(dead).toEqual([]);
  });
});
