import { ERROR_CATALOGUE, type ErrorCode, GuardError } from "#core/errors";
import { Answered } from "#http/endpoint";
import { type OpenRouterNeeds, openEndpoint, openRouter } from "#http/open-endpoint";
import { describe, type ErrorForm } from "#http/openapi/route-doc";
import { ANY_PAGE, anyPagePreflight } from "#http/origins";
import { urlFor } from "#http/resource-metadata";
import { pageOfEntries, type RegistryEntry } from "./entries";
import { DELETED_QUERY, Entry, EntryList, LIST_QUERY, RegistryError } from "./schema";

type RegistryNeeds = {
  /** What is published at the hub's address; null where the registry is switched off. */
  readonly entries: (hubUrl: string) => readonly RegistryEntry[] | null;
  readonly publicUrl: () => string;
};

/** Administrators of IDEs paste the address; IDEs read it before anybody has signed in to the hub. */
const OPEN =
  "IDEs read which tool servers are approved before they sign in; only what an administrator published is told";

const TAG = "Registry";
const headers = ANY_PAGE;

const errorOf = (code: ErrorCode, error: string) => ({ error, code });

/** The registry API's form of errors; pages read refusals too. */
const refused = ({ code, message, status }: GuardError): Response =>
  Response.json(errorOf(code, message), { status, headers });

const errorForm: ErrorForm = {
  name: "registry",
  schema: RegistryError,
  exampleOf: (code) => errorOf(code, `${ERROR_CATALOGUE[code].status}`),
};

/** What all three say. */
const SHARED = { open: OPEN, refused, errorForm, errors: ["not_found"] } as const;

const absent = (what: string): GuardError => new GuardError("not_found", what);

const registryEndpoints = ({ entries, publicUrl }: RegistryNeeds) => {
  const all = (request: Request): readonly RegistryEntry[] => {
    const found = entries(urlFor(publicUrl(), request));
    if (found === null) throw absent('The registry is switched off. An operator sets tool_gateway.registry = "on".');
    return found;
  };
  const named = (request: Request, name: string): RegistryEntry => {
    const entry = all(request).find(({ server }) => server.name === name);
    if (!entry) throw absent("No such server is published. GET /v0.1/servers lists those that are.");
    return entry;
  };
  return [
    openEndpoint("GET /v0.1/servers", {
      summary: "List published tool servers",
      description: "MCP registry API v0.1.",
      ...SHARED,
      query: LIST_QUERY,
      answers: { 200: EntryList },
      handler: ({ request, query }) => new Answered(pageOfEntries(all(request), query), { headers }),
    }),
    openEndpoint("GET /v0.1/servers/:name/versions", {
      summary: "List versions of a published tool server",
      description: "The hub keeps one version of each.",
      ...SHARED,
      query: DELETED_QUERY,
      answers: { 200: EntryList },
      handler: ({ request, params }) => new Answered(pageOfEntries([named(request, params.name)], {}), { headers }),
    }),
    openEndpoint("GET /v0.1/servers/:name/versions/:version", {
      summary: "Get a version of a published tool server",
      ...SHARED,
      query: DELETED_QUERY,
      answers: { 200: Entry },
      handler: ({ request, params: { name, version } }) => {
        const entry = named(request, name);
        if (version !== "latest" && version !== entry.server.version) throw absent("No such version is published.");
        return new Answered(entry, { headers });
      },
    }),
  ];
};

export const registryRoutes = (needs: RegistryNeeds & Omit<OpenRouterNeeds, "tag">) => {
  const endpoints = registryEndpoints(needs);
  const app = openRouter({ ...needs, tag: TAG }, endpoints);
  for (const { at } of endpoints) {
    const asking = describe(TAG, "CORS preflight", { answers: { 204: { description: "Readable by any web page." } } });
    app.options(at.slice("GET ".length), () => anyPagePreflight("Authorization, Content-Type, Accept"), {
      open: OPEN,
      parse: "none",
      detail: asking,
    });
  }
  return app;
};
