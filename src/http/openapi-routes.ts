import { Elysia } from "elysia";
import type { JsonRecord } from "#core/json";
import { Type } from "#core/schema";
import type { signedIn } from "#http/auth";
import { detailOf, type KeptRoute } from "./openapi/about";
import { ApiDocument } from "./openapi/document";
import { apiPage } from "./openapi/page";

type Deps = {
  readonly door: ReturnType<typeof signedIn>;
  /** The router's own, with these two in it. */
  readonly routes: () => readonly KeptRoute[];
  readonly publicUrl: () => string;
  readonly version: string;
};

const OPEN = { open: "says what there is to ask, and nothing of anybody", parse: "none" } as const;
const DOCUMENT_PATH = "/openapi.json";

/** What can be asked here, for programs and for people. Made when it is first asked for. */
export const openApiRoutes = (deps: Deps) => {
  const { door, routes, publicUrl, version } = deps;
  const isSecure = (): boolean => new URL(publicUrl()).protocol === "https:";
  let made: { readonly publicUrl: string; readonly text: string } | undefined;
  const text = (): string => {
    if (made?.publicUrl !== publicUrl())
      made = { publicUrl: publicUrl(), text: documentText(routes(), publicUrl(), version) };
    return made.text;
  };
  return new Elysia({ name: "openapi" })
    .use(door)
    .get(DOCUMENT_PATH, () => new Response(text(), { headers: { "content-type": "application/json" } }), {
      ...OPEN,
      detail: detailOf("Documentation", "This document", {
        description: "OpenAPI 3.1, made of the schemas that check what is sent and describe what is answered.",
        answers: {
          200: {
            schema: Type.Object({ openapi: Type.String() }, { additionalProperties: true }),
            example: { openapi: "3.1.0" },
          },
        },
      }),
    })
    .get("/docs/api", () => apiPage(isSecure()), {
      ...OPEN,
      detail: detailOf("Documentation", "The same to read, in a browser", {
        answers: {
          200: {
            media: "text/html; charset=utf-8",
            description: "A page that loads the document.",
            example: "<!doctype html>",
          },
        },
      }),
    });
};

export const documentText = (routes: readonly KeptRoute[], publicUrl: string, version: string): string =>
  JSON.stringify(apiDocument(routes, publicUrl, version));

/** The document of these routes, as data. */
export const apiDocument = (routes: readonly KeptRoute[], publicUrl: string, version: string): JsonRecord =>
  new ApiDocument({ routes, publicUrl, version }).make();
