import { Elysia } from "elysia";
import { GuardError } from "#core/errors";
import { Type } from "#core/schema";
import { newNonce, pageHeaders, SECURITY } from "./browser-page";
import { describe, type RouteDoc } from "./openapi/route-doc";
import { type HtmlPage, pageResponse } from "./pages/html-page";

/** What the bundler leaves beside the files: which of them a page begins with, and all there are. */
export type DashboardManifest = {
  readonly script: string;
  readonly theme: string;
  readonly style: string;
  readonly files: readonly string[];
};

export type DashboardFile = {
  readonly body: Blob;
  /** How the bytes are compressed, or null for as they are. */
  readonly encoding: "br" | "gzip" | null;
};

/** The bundled dashboard, wherever it is kept. */
export type DashboardFiles = {
  /** Null where nothing was bundled: a hub run from its sources without a build. */
  manifest(): Promise<DashboardManifest | null>;
  /** A file of the manifest, best compressed for who accepts it. */
  file(name: string, encodings: string): DashboardFile;
};

type DashboardRoutesNeeds = {
  readonly files: DashboardFiles;
  readonly publicUrl: () => string;
};

/**
 * The addresses at which the page is served: the screens' own. All others stay what they are, so that no unknown
 * address of the interface is ever answered with a page.
 */
export const SCREENS = [
  "/",
  "/live",
  "/calls",
  "/agents",
  "/reviews",
  "/reports",
  "/tuning",
  "/inbox",
  "/tool-servers",
  "/map",
  "/clients",
  "/playground",
  "/audit",
  "/settings",
] as const;

const NOT_BUILT: HtmlPage = {
  title: "No dashboard here",
  body: "<p>This hub runs from its sources, and its dashboard was not bundled: <code>bun run build</code>.</p>",
  script: "",
  status: 501,
};

const ASSETS = "/assets";
const TYPES: Readonly<Record<string, string>> = {
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
};

const documentOf = (
  { script, theme, style }: DashboardManifest,
  base: string,
  nonce: string,
): string => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="base-path" content="${base}">
<meta name="style-nonce" content="${nonce}">
<meta name="color-scheme" content="light dark">
<title>Guardhouse</title>
<link rel="icon" href="data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 24 24'%3E%3Cpath fill='%234f46e5' fill-rule='evenodd' d='M12 1 2 7v3h2v12h16V10h2V7zM8 22v-7a4 4 0 0 1 8 0v7h-2v-7a2 2 0 0 0-4 0v7z'/%3E%3C/svg%3E">
<script src="${base}${ASSETS}/${theme}"></script>
<link rel="stylesheet" href="${base}${ASSETS}/${style}">
<script type="module" src="${base}${ASSETS}/${script}"></script>
<body><div id="root"></div><noscript>The dashboard needs JavaScript. Everything it does is also at /api and on the command line.</noscript></body>
</html>
`;

const HTML = { media: "text/html; charset=utf-8", example: "<!doctype html>" };
const PAGE: RouteDoc["answers"] = {
  200: HTML,
  501: { ...HTML, description: "The dashboard is not part of this build." },
};

/** What `/` and the screens' addresses answer, and the files the page loads. Says the same to everybody. */
export const dashboardRoutes = ({ files, publicUrl }: DashboardRoutesNeeds) => {
  const page = async (): Promise<Response> => {
    const url = new URL(publicUrl());
    const manifest = await files.manifest();
    if (!manifest) return pageResponse(NOT_BUILT, url.protocol === "https:");
    const nonce = newNonce();
    const headers = pageHeaders(nonce, url.protocol === "https:");
    headers.set("cache-control", "no-store");
    return new Response(documentOf(manifest, url.pathname.replace(/\/+$/, ""), nonce), { headers });
  };

  const asset = async (request: Request, name: string): Promise<Response> => {
    const manifest = await files.manifest();
    // Only what the bundler listed: nothing of a request becomes a path.
    if (!manifest?.files.includes(name)) throw new GuardError("not_found", "There is no such file.", { param: "name" });
    const { body, encoding } = files.file(name, request.headers.get("accept-encoding") ?? "");
    return new Response(body, {
      headers: {
        ...SECURITY,
        "content-type": TYPES[name.slice(name.lastIndexOf(".") + 1)] ?? "application/octet-stream",
        // Named by its content: what is at this address never changes.
        "cache-control": "public, max-age=31536000, immutable",
        vary: "accept-encoding",
        ...(encoding ? { "content-encoding": encoding } : {}),
      },
    });
  };

  const open = (summary: string, answers: RouteDoc["answers"]) => ({
    open: "a page that says the same to everybody",
    parse: "none" as const,
    detail: describe("Dashboard", summary, {
      params: { path: Type.String(), name: Type.String() },
      answers,
    }),
  });
  const routes = new Elysia({ name: "dashboard" }).get(
    `${ASSETS}/:name`,
    ({ request, params }) => asset(request, params.name),
    open("Dashboard asset", {
      200: { media: "text/javascript", example: "", or: { media: "text/css", example: "" } },
    }),
  );
  for (const screen of SCREENS) {
    routes.get(screen, page, open("Dashboard page", PAGE));
    if (screen !== "/") routes.get(`${screen}/*`, page, open("Dashboard page", PAGE));
  }
  return routes;
};
