import { GuardError } from "#core/errors";
import type { Static } from "#core/schema";
import { GATEWAY_PATH } from "#model/oauth/authorization";
import { pinState, type ToolPin, type ToolServer } from "#model/tools/tool";
import { type Entry as EntrySchema, MAX_PAGE, OFFICIAL } from "./schema";
import { SERVER_SCHEMA } from "./server-json";

export type RegistryEntry = Static<typeof EntrySchema>;
/** What a registry says of a server, with what it says of the entry. */
export type Entry<Server> = { readonly server: Server; readonly _meta: RegistryEntry["_meta"] };

/** What the registry says of the servers that are published, switched on and have an approved tool; in order of name. */
export const entriesOf = (
  servers: Iterable<ToolServer>,
  pinsOf: (serverId: string) => readonly ToolPin[],
  hubUrl: string,
): RegistryEntry[] => {
  const entries = new Map<string, RegistryEntry>();
  for (const server of servers) {
    if (!server.active || server.published_at === null || server.published_as === null) continue;
    const approved = pinsOf(server.id).filter((pin) => pin.present && pinState(pin) === "approved");
    if (approved.length === 0) continue;
    const updated = Math.max(server.published_at, ...approved.map(({ seen_at }) => seen_at));
    const name = entryName(hubUrl, server.slug);
    entries.set(name, {
      server: {
        $schema: SERVER_SCHEMA,
        name,
        title: server.slug,
        description: server.published_as,
        version: versionAt(updated),
        remotes: [{ type: "streamable-http", url: hubUrl.replace(/\/$/, "") + GATEWAY_PATH }],
      },
      _meta: officialOf(server.published_at, updated),
    });
  }
  return [...entries.values()].sort((one, other) => (one.server.name < other.server.name ? -1 : 1));
};

export const officialOf = (published: number, updated: number): RegistryEntry["_meta"] => ({
  [OFFICIAL]: {
    status: "active",
    statusChangedAt: new Date(published).toISOString(),
    publishedAt: new Date(published).toISOString(),
    updatedAt: new Date(updated).toISOString(),
    isLatest: true,
  },
});

export const entryName = (hubUrl: string, slug: string): string => `${namespaceOf(hubUrl)}/${slug}`;

/** `https://hub.example.com` is `com.example.hub`; addresses of IPv6 lose what names may not have. */
const namespaceOf = (hubUrl: string): string => {
  const { hostname } = new URL(hubUrl);
  const isName = /[a-z]/i.test(hostname) && !hostname.includes(":");
  const ordered = isName ? hostname.split(".").reverse().join(".") : hostname;
  return ordered.replaceAll(/[^a-zA-Z0-9.-]+/g, "-").replaceAll(/^-+|-+$/g, "");
};

/** A version that rises with time and is valid by semver.org: year, month and day, time of day in UTC. */
export const versionAt = (ms: number): string => {
  const at = new Date(ms);
  const day = (at.getUTCMonth() + 1) * 100 + at.getUTCDate();
  const time = at.getUTCHours() * 10_000 + at.getUTCMinutes() * 100 + at.getUTCSeconds();
  return `${at.getUTCFullYear()}.${day}.${time}`;
};

export type Wanted = {
  readonly cursor?: string | undefined;
  readonly limit?: number | undefined;
  readonly search?: string | undefined;
  readonly updated_since?: string | undefined;
  readonly version?: string | undefined;
};

/** One page of them. The cursor is the name of the last one of the page before. Throws `invalid_value`. */
export const pageOfEntries = (
  entries: readonly RegistryEntry[],
  { cursor, limit = 30, search, updated_since, version }: Wanted,
) => {
  const part = search?.toLowerCase();
  const since = updated_since === undefined ? Number.NEGATIVE_INFINITY : Date.parse(updated_since);
  if (Number.isNaN(since)) {
    throw new GuardError("invalid_value", "updated_since must be a time in RFC 3339.", { param: "updated_since" });
  }
  if (!(Number.isInteger(limit) && limit >= 1 && limit <= MAX_PAGE)) {
    throw new GuardError("invalid_value", `limit must be a whole number from 1 to ${MAX_PAGE}.`, { param: "limit" });
  }
  const found = entries.filter(
    ({ server, _meta }) =>
      (cursor === undefined || server.name > cursor) &&
      (part === undefined || server.name.toLowerCase().includes(part)) &&
      Date.parse(_meta[OFFICIAL].updatedAt) >= since &&
      (version === undefined || version === "latest" || version === server.version),
  );
  const servers = found.slice(0, limit);
  const last = servers.at(-1);
  const hasMore = found.length > servers.length && last !== undefined;
  return {
    servers,
    metadata: { count: servers.length, ...(hasMore && { nextCursor: last.server.name }) },
  };
};
