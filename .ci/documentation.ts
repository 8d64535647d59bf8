/*
 * Renders docs/ into dist/documentation, which the executable embeds: one file with all pages and what they load, each
 * part compressed by itself, and a list of where each begins. `bun .ci/documentation.ts --if-stale` does nothing when
 * no source of it is newer. A link or a picture that leads nowhere stops it. A draft, for development, is compressed
 * less; it always counts as stale, so that no executable embeds it.
 */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from "node:fs";
import { basename, join, posix } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";
import { optimize } from "@tailwindcss/node";
import { API_SCRIPT } from "#documentation/api-reference";
import { PAGES } from "#documentation/contents";
import { API, addressFrom, framed, HOME, homeAt, type PageAssets } from "#documentation/frame";
import { type Picture, type RenderedPage, rendered } from "#documentation/markdown";
import type { IndexedPage } from "#documentation/search";
import { type DocumentationManifest, type DocumentationPart, FOLDER } from "#http/documentation-routes";
import { newest } from "./dashboard";

const ROOT = join(import.meta.dir, "..");
const DOCS = join(ROOT, "docs");
const SOURCE = join(ROOT, "src/documentation");
const THEME = join(ROOT, "src/dashboard/theme");
const DOCUMENTATION = join(ROOT, "dist/documentation");
/** Stands beside the files of a draft. */
const DRAFT = join(DOCUMENTATION, "draft");
const SOURCES = ["docs", "src/documentation", "src/dashboard/theme.ts", "src/dashboard/theme.css", "bun.lock"];

const TYPES: Readonly<Record<string, string>> = {
  html: "text/html; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  json: "application/json",
  md: "text/markdown; charset=utf-8",
  webp: "image/webp",
};

/** Folders whose pages the navigation lists beside each of them only. */
const SHELVES = [
  { folder: "recipes/", title: "Recipes" },
  { folder: "decisions/", title: "Decisions" },
  { folder: "spec/", title: "Specification" },
];

const hashOf = (content: string | Uint8Array): string => Bun.hash(content).toString(36).slice(0, 10);

const nameOf = (file: string): string => file.replace(/\.md$/, "");

const isFresh = (): boolean => {
  const manifest = join(DOCUMENTATION, "manifest.json");
  if (!existsSync(manifest) || existsSync(DRAFT)) return false;
  const sources = [...SOURCES, ".ci/documentation.ts"].map((path) => newest(join(ROOT, path)));
  return statSync(manifest).mtimeMs > Math.max(...sources);
};

/** Width and height of a WebP picture of the extended format, which Chromium writes. */
const sizeOf = (bytes: Buffer): { readonly width: number; readonly height: number } => {
  if (bytes.toString("latin1", 8, 16) !== "WEBPVP8X") throw new Error("not an extended WebP");
  return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
};

/** Everything that is served below `/docs/`, by its address there. */
class Shelf {
  private readonly parts = new Map<string, { readonly content: Uint8Array; readonly type: string }>();

  add(address: string, content: string | Uint8Array, ending: string): void {
    const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
    this.parts.set(address, { content: bytes, type: TYPES[ending] ?? "text/plain; charset=utf-8" });
  }

  has(address: string): boolean {
    return this.parts.has(address);
  }

  /** Pictures are compressed already. */
  async written(folder: string, quality: number): Promise<DocumentationManifest> {
    const blobs: Uint8Array[] = [];
    const parts: Record<string, DocumentationPart> = {};
    let at = 0;
    for (const [address, { content, type }] of [...this.parts].sort(([a], [b]) => (a < b ? -1 : 1))) {
      const isPacked = !type.startsWith("image/");
      const params = { [constants.BROTLI_PARAM_QUALITY]: quality };
      const blob = isPacked ? brotliCompressSync(content, { params }) : content;
      parts[address] = { at, length: blob.length, type, packed: isPacked };
      blobs.push(blob);
      at += blob.length;
    }
    const manifest: DocumentationManifest = { parts };
    await Bun.write(join(folder, "parts.bin"), Buffer.concat(blobs));
    await Bun.write(join(folder, "manifest.json"), JSON.stringify(manifest));
    return manifest;
  }
}

/** What a page may lead to, by the paths in its Markdown. */
const addressesOf = (name: string, files: ReadonlySet<string>, shelf: Shelf, wanted: Map<string, Set<string>>) => {
  const folder = posix.dirname(name);
  const local = (path: string): string => posix.normalize(posix.join(folder, path));
  const picture = (path: string): Picture => {
    const bytes = readFileSync(join(DOCS, path));
    const address = `assets/${posix.basename(path, ".webp")}-${hashOf(bytes)}.webp`;
    shelf.add(address, bytes, "webp");
    return { path: addressFrom(name, address), ...sizeOf(bytes) };
  };
  return {
    link: (href: string): string => {
      const [path = "", anchor] = href.split("#", 2);
      const file = path === "" ? `${name}.md` : local(path);
      const to = (address: string): string => {
        if (anchor !== undefined) wanted.set(address, (wanted.get(address) ?? new Set()).add(anchor));
        return path === "" ? `#${anchor}` : `${addressFrom(name, address)}${anchor === undefined ? "" : `#${anchor}`}`;
      };
      if (file === "../README.md") return to(HOME);
      if (files.has(file)) return to(nameOf(file));
      if (file.startsWith("../") || !statSync(join(DOCS, file)).isFile()) throw new Error("nothing that is served");
      shelf.add(file, readFileSync(join(DOCS, file)), "txt");
      return addressFrom(name, file);
    },
    picture: (href: string) => {
      const light = local(href);
      const dark = light.replace(/-light\.webp$/, "-dark.webp");
      return { light: picture(light), dark: dark !== light ? picture(dark) : null };
    },
  };
};

const scriptOf = async (entry: string): Promise<string> => {
  const result = await Bun.build({ entrypoints: [entry], target: "browser", minify: true });
  const [output] = result.outputs;
  if (!(result.success && output)) throw new AggregateError(result.logs, `${entry} could not be bundled`);
  return output.text();
};

const assetsOf = async (shelf: Shelf, index: readonly IndexedPage[]): Promise<PageAssets & { api: string }> => {
  const add = (name: string, content: string, ending: string): string => {
    const address = `assets/${name}-${hashOf(content)}.${ending}`;
    shelf.add(address, content, ending);
    return address;
  };
  const css = [`${THEME}.css`, join(SOURCE, "style.css")].map((path) => readFileSync(path, "utf8")).join("\n");
  const api = await new Bun.Transpiler({ loader: "js", minifyWhitespace: true }).transform(API_SCRIPT);
  return {
    theme: add("theme", await scriptOf(`${THEME}.ts`), "js"),
    script: add("page", await scriptOf(join(SOURCE, "page.ts")), "js"),
    api: add("api", api, "js"),
    style: add("style", optimize(css, { minify: true }).code, "css"),
    search: add("search", JSON.stringify(index), "json"),
  };
};

const siblingsOf = (name: string, pages: ReadonlyMap<string, RenderedPage>) => {
  const shelf = SHELVES.find(({ folder }) => name.startsWith(folder));
  if (!shelf || PAGES.some((page) => page.name === name)) return {};
  const beside = [...pages].filter(([other]) => other.startsWith(shelf.folder));
  const labelled = beside.map(([other, { title }]) => ({ name: other, label: title }));
  return { siblings: { title: shelf.title, pages: labelled } };
};

/** Every anchor that some page names is on the page it is said to be on. */
const checkAnchors = (pages: ReadonlyMap<string, RenderedPage>, wanted: ReadonlyMap<string, ReadonlySet<string>>) => {
  for (const [name, anchors] of wanted) {
    const missing = [...anchors].filter((anchor) => !pages.get(name)?.anchors.has(anchor));
    if (missing.length > 0) throw new Error(`docs/${name}.md has no ${missing.map((one) => `#${one}`).join(", ")}`);
  }
};

const API_PAGE = {
  ...{ name: API, title: "API reference", headings: [] },
  body: `<h1>API reference</h1>\n<article aria-live="polite"><p>Loading…</p></article>`,
};

export const buildDocumentation = async ({ ifStale = false, draft = false } = {}): Promise<void> => {
  if (ifStale && isFresh()) return;
  const begin = performance.now();
  mkdirSync(join(ROOT, "dist"), { recursive: true });
  const shelf = new Shelf();
  const found = readdirSync(DOCS, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".md"));
  const files = new Set(found.sort());
  const unknown = PAGES.filter(({ name }) => !files.has(`${name}.md`));
  if (unknown.length > 0) throw new Error(`there is no docs/${unknown[0]?.name}.md`);

  const pages = new Map<string, RenderedPage>();
  const wanted = new Map<string, Set<string>>();
  for (const file of files) {
    const name = nameOf(file);
    const markdown = readFileSync(join(DOCS, file), "utf8");
    shelf.add(file, markdown, "md");
    pages.set(name, rendered(name, markdown, addressesOf(name, files, shelf, wanted)));
  }
  checkAnchors(pages, wanted);

  // What the project says of itself and its past is not what somebody with a task looks for.
  const searched = PAGES.filter(({ group }) => group !== "Project");
  const index = searched.map(({ name }): IndexedPage => {
    const page = pages.get(name);
    const sections = page?.sections.map(({ heading, anchor, text }) => [heading, anchor, text] as const) ?? [];
    return [name, page?.title ?? name, sections];
  });
  const { api, ...assets } = await assetsOf(shelf, index);
  shelf.add(HOME, homeAt("./", assets), "html");
  shelf.add(FOLDER, homeAt("docs/", assets), "html");
  for (const [name, { title, html, headings }] of pages) {
    shelf.add(name, framed({ name, title, body: html, headings, ...siblingsOf(name, pages) }, assets), "html");
  }
  shelf.add(API, framed(API_PAGE, assets, { script: api }), "html");

  const workshop = mkdtempSync(join(ROOT, "dist/.documentation-"));
  const quality = draft ? constants.BROTLI_MIN_QUALITY : constants.BROTLI_MAX_QUALITY;
  const { parts } = await shelf.written(workshop, quality);
  if (draft) await Bun.write(join(workshop, basename(DRAFT)), "");
  rmSync(DOCUMENTATION, { recursive: true, force: true });
  renameSync(workshop, DOCUMENTATION);
  const bytes = Object.values(parts).reduce((sum, { length }) => sum + length, 0);
  const took = Math.round(performance.now() - begin);
  console.error(`dist/documentation: ${pages.size} pages, ${(bytes / 1e3).toFixed(0)} KB, in ${took} ms`);
};

if (import.meta.main) await buildDocumentation({ ifStale: process.argv.includes("--if-stale") });
