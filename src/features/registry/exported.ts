import type { CredentialKind, Transport } from "#model/tools/tool";
import { type Entry, entryName, officialOf, versionAt } from "./entries";
import { RUNNERS, VERSION } from "./offers";
import { type Package, SERVER_SCHEMA, type ServerJson } from "./server-json";

/** What is known of a tool server, credentials by name only. */
export type ExportedServer = {
  readonly id: string;
  readonly slug: string;
  readonly transport: Transport;
  readonly url: string | null;
  readonly command: readonly string[] | null;
  readonly credentials: {
    readonly kind: CredentialKind;
    readonly headers?: readonly string[];
    readonly variables?: readonly string[];
  };
  readonly published: { readonly description: string } | null;
  readonly created_at: string;
};

export type Export = {
  readonly entries: readonly Entry<ServerJson>[];
  /** Names of servers that a registry has no form for: programs that are not packages of npx or uvx. */
  readonly left_out: readonly string[];
};

/** Tool servers as a registry lists them, at their own addresses. `imported`: the entries that some were made of, by server. */
export const exportOf = (
  servers: readonly ExportedServer[],
  imported: ReadonlyMap<string, ServerJson>,
  hubUrl: string,
): Export => {
  const all = servers.map((server) => ({ server, json: imported.get(server.id) ?? serverJsonOf(server, hubUrl) }));
  const entries = all.flatMap(({ server, json }) =>
    json === null
      ? []
      : [{ server: json, _meta: officialOf(Date.parse(server.created_at), Date.parse(server.created_at)) }],
  );
  return { entries, left_out: all.filter(({ json }) => json === null).map(({ server }) => server.slug) };
};

/** Null for what a registry has no form for. */
export const serverJsonOf = (server: ExportedServer, hubUrl: string): ServerJson | null => {
  const { slug, published, created_at } = server;
  const place = placeOf(server);
  if (place === null) return null;
  return {
    $schema: SERVER_SCHEMA,
    name: entryName(hubUrl, slug),
    title: slug,
    description: published?.description ?? `Tool server ${slug}`,
    version: versionAt(Date.parse(created_at)),
    ...place,
  };
};

const asked = (names: readonly string[] | undefined) =>
  (names ?? []).map((name) => ({ name, isRequired: true, isSecret: true }));

const placeOf = ({ transport, url, command, credentials }: ExportedServer): Partial<ServerJson> | null => {
  if (transport === "stdio") return packageOf(command ?? [], asked(credentials.variables));
  if (url === null) return null;
  const [address = "", query] = url.split(/\?(.*)/s);
  const headers = asked(credentials.headers);
  const at = { type: transport, ...(headers.length > 0 && { headers }) };
  if (query === undefined) return { remotes: [{ ...at, url }] };
  // Keys are put into queries by some: what stands there is asked for again.
  const variables = { query: { description: "Query of the address", isRequired: true, isSecret: true } };
  return { remotes: [{ ...at, url: `${address}?{query}`, variables }] };
};

type Variables = NonNullable<Package["environmentVariables"]>;

const packageOf = (command: readonly string[], environmentVariables: Variables): Partial<ServerJson> | null => {
  for (const [registryType, { start, name }] of Object.entries(RUNNERS)) {
    if (!start.every((word, at) => command[at] === word)) continue;
    const [wanted = "", ...rest] = command.slice(start.length);
    // The first character may be that of a scope.
    const end = wanted.indexOf("@", 1);
    const identifier = end === -1 ? wanted : wanted.slice(0, end);
    const version = end === -1 ? "latest" : wanted.slice(end + 1);
    if (!name.test(identifier) || !VERSION.test(version)) return null;
    const packageArguments = rest.map((value) => ({ type: "positional" as const, value }));
    const offered: Package = {
      registryType,
      identifier,
      // Not a version in a registry: none is the newest.
      ...(version !== "latest" && { version }),
      runtimeHint: start[0],
      transport: { type: "stdio" },
      ...(packageArguments.length > 0 && { packageArguments }),
      ...(environmentVariables.length > 0 && { environmentVariables }),
    };
    return { packages: [offered] };
  }
  return null;
};
