import { Elysia } from "elysia";
import { type Static, type TSchema, Type } from "#core/schema";
import type { tokenAuth } from "#http/auth/token";
import { type Detail, describe } from "#http/openapi/route-doc";
import { listOf } from "#http/openapi/schemas";
import { ANY_PAGE, anyPagePreflight } from "#http/origins";
import { AUTHORIZATION_PATH, at, GATEWAY_PATH, GATEWAY_SCOPE } from "#model/oauth/authorization";
import { isSameHere } from "#model/oauth/redirect";

const WELL_KNOWN = "/.well-known/oauth-protected-resource";

const OPEN = { open: "clients read where to sign in before they have a token", parse: "none" } as const;

type ResourceMetadataNeeds = {
  readonly auth: ReturnType<typeof tokenAuth>;
  /** A function, since a port chosen by the system is known only once the hub listens. */
  readonly publicUrl: () => string;
};

const Url = Type.String({ format: "uri" });

const ResourceMetadata = Type.Object(
  {
    resource: Url,
    authorization_servers: listOf(Url),
    scopes_supported: listOf(Type.String({ examples: [GATEWAY_SCOPE] })),
    bearer_methods_supported: listOf(Type.String({ examples: ["header"] })),
    resource_name: Type.String({ examples: ["Guardhouse"] }),
  },
  { $id: "ProtectedResourceMetadata", description: "RFC 9728." },
);

/**
 * The public URL as who asks knows it. Clients compare the resource with the address they were given, and people take
 * `localhost` for `127.0.0.1`: a hub that is at one name of its machine is at the others. Beyond that no Host is believed.
 */
export const urlFor = (publicUrl: string, { headers }: Request): string => {
  const asked = URL.parse(publicUrl);
  const host = URL.parse(`http://${headers.get("host") ?? ""}`);
  if (!asked || !host || asked.port !== host.port) return publicUrl;
  asked.hostname = host.hostname;
  const other = asked.href.replace(/\/$/, "");
  return isSameHere(other, publicUrl.replace(/\/$/, "")) ? other : publicUrl;
};

/** RFC 9728 §3. `resource` must be the address people type, or their clients refuse it. */
export const resourceMetadata = (publicUrl: string, request: Request): Static<typeof ResourceMetadata> => ({
  resource: at(urlFor(publicUrl, request), GATEWAY_PATH),
  authorization_servers: [at(publicUrl, AUTHORIZATION_PATH)],
  scopes_supported: [GATEWAY_SCOPE],
  bearer_methods_supported: ["header"],
  resource_name: "Guardhouse",
});

/**
 * The `WWW-Authenticate` of a 401. Begins with its one scheme and quotes every value, since clients read no other
 * form. Who sent no token is not told that one is wrong (RFC 6750 §3.1).
 */
export const challenge = (publicUrl: string, hasToken: boolean): string => {
  const parts = [
    'realm="guardhouse"',
    `resource_metadata="${at(publicUrl, WELL_KNOWN + GATEWAY_PATH)}"`,
    `scope="${GATEWAY_SCOPE}"`,
  ];
  if (hasToken) parts.push('error="invalid_token"', 'error_description="The token is invalid, expired or revoked."');
  return `Bearer ${parts.join(", ")}`;
};

/** Of a 403: the token is good, but not for this. Names all that is needed, since clients ask for no more (RFC 6750 §3.1). */
export const stepUp = (publicUrl: string): string =>
  [
    'Bearer realm="guardhouse"',
    'error="insufficient_scope"',
    `scope="${GATEWAY_SCOPE}"`,
    `resource_metadata="${at(publicUrl, WELL_KNOWN + GATEWAY_PATH)}"`,
  ].join(", ");

/** The metadata under the hub's base path, which is where the challenge points. */
export const resourceMetadataRoutes = (deps: ResourceMetadataNeeds) =>
  metadataAt("resource-metadata", [WELL_KNOWN, WELL_KNOWN + GATEWAY_PATH], deps);

/**
 * The addresses clients try by themselves when the hub has a base path: RFC 9728 §3.1 puts the well-known part
 * before the path. To be mounted outside the base path.
 */
export const insertedMetadataRoutes = (basePath: string, deps: ResourceMetadataNeeds) =>
  metadataAt("resource-metadata-inserted", [WELL_KNOWN + basePath, WELL_KNOWN + basePath + GATEWAY_PATH], deps);

const metadataAt = (name: string, paths: readonly string[], { auth, publicUrl }: ResourceMetadataNeeds) =>
  openDocument(
    { name, paths, summary: "OAuth protected resource metadata of the tool gateway", schema: ResourceMetadata },
    auth,
    (request) => resourceMetadata(publicUrl(), request),
  );

type OpenDocument = {
  readonly name: string;
  readonly paths: readonly string[];
  readonly summary: string;
  readonly schema: TSchema;
};

/** A document that anybody may read at several addresses, from any page. */
export const openDocument = (
  { name, paths, summary, schema }: OpenDocument,
  auth: ResourceMetadataNeeds["auth"],
  document: (request: Request) => unknown,
) => {
  const reading: Detail = describe("Metadata", summary, { answers: { 200: schema } });
  const asking: Detail = describe("Metadata", "CORS preflight", {
    answers: { 204: { description: "Readable by any web page." } },
  });
  const read = ({ request }: { request: Request }) => Response.json(document(request), { headers: ANY_PAGE });
  const routes = new Elysia({ name }).use(auth);
  for (const path of paths) {
    routes.get(path, read, { ...OPEN, detail: reading }).options(path, preflight, { ...OPEN, detail: asking });
  }
  return routes;
};

/** Any page may read it: it tells nothing that the 401 does not. */
const preflight = () => anyPagePreflight("MCP-Protocol-Version, Content-Type, Accept");
