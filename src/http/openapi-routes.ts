import { Elysia } from "elysia";
import type { JsonRecord } from "#core/json/json";
import { Type } from "#core/schema";
import type { tokenAuth } from "#http/auth/token";
import { ApiDocument } from "#http/openapi/document";
import { describe, type RegisteredRoute } from "#http/openapi/route-doc";

type OpenApiRoutesNeeds = {
  readonly auth: ReturnType<typeof tokenAuth>;
  /** The router's own, with this one in it. */
  readonly routes: () => readonly RegisteredRoute[];
  readonly publicUrl: () => string;
  readonly version: string;
};

const OPEN = { open: "says what there is to ask, and nothing of anybody", parse: "none" } as const;
const DOCUMENT_PATH = "/openapi.json";

/** What can be asked here. Made when it is first asked for; `/docs/api` shows it to people. */
export const openApiRoutes = (deps: OpenApiRoutesNeeds) => {
  const { auth, routes, publicUrl, version } = deps;
  let made: { readonly publicUrl: string; readonly text: string } | undefined;
  const text = (): string => {
    if (made?.publicUrl !== publicUrl())
      made = { publicUrl: publicUrl(), text: documentText(routes(), publicUrl(), version) };
    return made.text;
  };
  return new Elysia({ name: "openapi" })
    .use(auth)
    .get(DOCUMENT_PATH, () => new Response(text(), { headers: { "content-type": "application/json" } }), {
      ...OPEN,
      detail: describe("Documentation", "OpenAPI document", {
        description: "OpenAPI 3.1, generated from the schemas that validate requests and describe responses.",
        answers: {
          200: {
            schema: Type.Object({ openapi: Type.String() }, { additionalProperties: true }),
            example: { openapi: "3.1.0" },
          },
        },
      }),
    });
};

export const documentText = (routes: readonly RegisteredRoute[], publicUrl: string, version: string): string =>
  JSON.stringify(apiDocument(routes, publicUrl, version));

/** The document of these routes, as data. */
export const apiDocument = (routes: readonly RegisteredRoute[], publicUrl: string, version: string): JsonRecord =>
  new ApiDocument({ routes, publicUrl, version }).make();
