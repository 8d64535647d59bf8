import type { Requirement } from "./requirement";

/** What the hub says of its own addresses. */
export const API: readonly Requirement[] = [
  {
    id: "published.whole",
    promise:
      "Every address, field, default, limit and status of the published interface is as published, for tokens of both prefixes.",
    source: "docs/spec/published-interface.md#guard-utilities-and-tool-gateway-interface",
  },
  {
    id: "api.documented",
    promise:
      "GET /openapi.json is a valid OpenAPI 3.1 document of every address the hub serves: who may call it, what it takes, how it answers and with which error codes.",
    source: "docs/spec/api.md#the-openapi-document",
  },
  {
    id: "lists.paged",
    promise:
      "A list costs what it shows: however many agents, tokens, rules or servers there are, a page reads no whole table.",
    source: "docs/management.md#lists",
  },
  {
    id: "lists.whole",
    promise: "Page after page, a list gives everything in it once, newest first, in the states of that moment.",
    source: "docs/management.md#lists",
  },
  {
    id: "api.examples",
    promise: "Every body of the document has an example, and each fits its schema.",
    source: "docs/spec/api.md#the-openapi-document",
  },
  {
    id: "api.true",
    promise: "What the hub answers is what the document says: no field, status or error code that it does not name.",
    source: "docs/spec/api.md#the-openapi-document",
  },
  {
    id: "api.command",
    promise:
      "`guardhouse openapi` prints the document that a hub with the same settings serves, without one and without a data directory.",
    source: "docs/spec/api.md#the-openapi-document",
  },
  {
    id: "api.queries",
    promise:
      "What stands behind the ? of an address is held against its documented form: what is misspelt or given twice is a 400 that names it, and never another list.",
    source: "docs/spec/api.md#query-parameters",
  },
  {
    id: "api.order",
    promise:
      "A request to /api is checked in one order: session, role, query, whether changes are accepted now, body. The first check that fails is the answer, and no handler runs.",
    source: "docs/spec/api.md#order-of-checks",
  },
  {
    id: "api.page",
    promise: "The document can be read at /docs/api with nothing loaded from elsewhere, under a strict content policy.",
    source: "docs/spec/api.md#the-reference-page",
  },
  {
    id: "api.page-layout",
    promise:
      "/docs/api shows its text at the first sight from 375 to 1440 pixels, a chosen operation where it is seen, code as code, and one page of many addresses once.",
    source: "docs/spec/api.md#the-reference-page",
  },
];
