import { Elysia } from "elysia";
import { type ErrorCode, GuardError } from "#core/errors";
import { Type } from "#core/schema";
import { pageHeaders, SECURITY } from "./browser-page";
import { type Answer, describe, type RouteDoc } from "./openapi/route-doc";
import { type HtmlPage, pageResponse } from "./pages/html-page";

/** Where a page, or something it loads, stands among the others, and how it is served. */
export type DocumentationPart = {
  readonly at: number;
  readonly length: number;
  readonly type: string;
  /** Whether its bytes are compressed with brotli. */
  readonly packed: boolean;
};

/** What the build leaves of the documentation: each part by its address below `/docs/`. */
export type DocumentationManifest = { readonly parts: Readonly<Record<string, DocumentationPart>> };

/** The rendered documentation, wherever it is kept. */
export type DocumentationFiles = {
  /** Null where it was not rendered: a hub run from its sources without a build. */
  manifest(): Promise<DocumentationManifest | null>;
  /** As it is kept. */
  stored(part: DocumentationPart): Blob;
  /** As it was before it was compressed. */
  plain(part: DocumentationPart): Promise<Uint8Array<ArrayBuffer>>;
};

type DocumentationRoutesNeeds = {
  readonly files: DocumentationFiles;
  readonly publicUrl: () => string;
  /** A page for a person at an address without one; null for programs. */
  readonly nothingHere: (request: Request, error: GuardError) => Response | null;
};

const NOT_BUILT: HtmlPage = {
  title: "No documentation here",
  body: "<p>This hub runs from its sources, and its documentation was not rendered: <code>bun run build</code>.</p>",
  script: "",
  status: 501,
};

/** The first page once more, with links that lead from `/docs` into the folder: no program needs to follow a redirect. */
export const FOLDER = "/docs";
/** Named by their content: what is at such an address never changes. */
const ASSETS = "assets/";

const OPEN = "the documentation of the product, the same for everybody";
const HTML = { media: "text/html; charset=utf-8", example: "<!doctype html>" };
const NOT_RENDERED: RouteDoc["answers"] = {
  501: { ...HTML, description: "The documentation is not part of this build." },
};
/** Beside pages. */
const LOADED: Answer = ["text/markdown", "text/javascript", "text/css", "text/plain", "application/json"].reduce(
  (or: Answer, media): Answer => ({ media, example: "", or }),
  { media: "image/webp", example: "" },
);

/** Only what the build listed: nothing of a request becomes a path. */
const partAt = ({ parts }: DocumentationManifest, address: string): DocumentationPart | null =>
  Object.hasOwn(parts, address) ? (parts[address] ?? null) : null;

/** The user documentation, and the reference of the API among it. Read from where it is kept at each request. */
export const documentationRoutes = ({ files, publicUrl, nothingHere }: DocumentationRoutesNeeds) => {
  const isSecure = (): boolean => new URL(publicUrl()).protocol === "https:";

  const missing = (request: Request): Response => {
    const error = new GuardError("not_found", "There is no such page in the documentation.", { param: "path" });
    const page = nothingHere(request, error);
    if (page === null) throw error;
    return page;
  };

  const answered = async (request: Request, address: string): Promise<Response> => {
    const manifest = await files.manifest();
    if (!manifest) return pageResponse(NOT_BUILT, isSecure());
    const part = partAt(manifest, address);
    if (part === null) return missing(request);
    const headers = part.type.startsWith("text/html") ? pageHeaders(null, isSecure()) : new Headers(SECURITY);
    headers.set("content-type", part.type);
    headers.set("vary", "accept-encoding");
    headers.set("cache-control", address.startsWith(ASSETS) ? "public, max-age=31536000, immutable" : "no-store");
    const accepted = request.headers.get("accept-encoding") ?? "";
    if (part.packed && !accepted.includes("br")) return new Response(await files.plain(part), { headers });
    if (part.packed) headers.set("content-encoding", "br");
    return new Response(files.stored(part), { headers });
  };

  const open = (summary: string, answers: RouteDoc["answers"], errors: readonly ErrorCode[] = []) => ({
    open: OPEN,
    parse: "none" as const,
    detail: describe("Documentation", summary, { params: { path: Type.String() }, answers, errors }),
  });
  return new Elysia({ name: "documentation" })
    .get(
      "/docs",
      ({ request }) => answered(request, new URL(request.url).pathname.endsWith("/") ? "" : FOLDER),
      open("Documentation", { 200: HTML, ...NOT_RENDERED }),
    )
    .get("/docs/api", ({ request }) => answered(request, "api"), {
      ...open("API reference page", {
        200: { ...HTML, description: "A page that renders the document." },
        ...NOT_RENDERED,
      }),
    })
    .get(
      "/docs/*",
      ({ request, params }) => answered(request, params["*"]),
      open(
        "Documentation page",
        {
          200: { ...HTML, description: "A page, its Markdown (`….md`), or what pages load.", or: LOADED },
          404: { ...HTML, description: "There is no such page." },
          ...NOT_RENDERED,
        },
        ["not_found"],
      ),
    );
};
