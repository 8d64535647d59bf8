import { parseJson } from "#core/json/json";
import { Shape, type Static, Type } from "#core/schema";
import { grantPurpose, type ToolServer } from "#model/tools/tool";
import type { Clock } from "#platform/clock";
import type { Sealing } from "#platform/sealing";
import { ToolFailure } from "#upstream/tool-port";
import type { Open } from "./credentials";
import type { OAuthPeer } from "./oauth-http";
import { AUTH_METHODS } from "./oauth-token";
import type { ToolFetch } from "./port";

/** What the store keeps of grants: a part of `ToolServerStore`. */
export type GrantStore = {
  grant(serverId: string): Promise<{ readonly sealed: string; readonly version: number } | null>;
  /** Compare-and-set; `expected` 0 for none. False when another was first. */
  saveGrant(serverId: string, expected: number, sealed: string): Promise<boolean>;
};

/** One process at a time does what the key names. */
export type RenewalTurns = {
  /** False while another process is at it. */
  acquire(key: string): Promise<boolean>;
  end(key: string): Promise<void>;
};

export type UpstreamOAuthNeeds = {
  /** The same that reaches the server itself. */
  readonly fetch: ToolFetch;
  readonly grants: GrantStore;
  readonly open: Open;
  /** The way back of `open`. */
  readonly seal: Sealing["seal"];
  readonly now: Clock;
  /** Where several processes serve: a refresh token that two of them spend may end the sign-in. Absent where one does. */
  readonly turns?: RenewalTurns | undefined;
};

const Nullable = Type.Union([Type.String(), Type.Null()]);

export const ClientShape = Type.Object({
  id: Type.String(),
  secret: Nullable,
  method: Type.Union(AUTH_METHODS.map((method) => Type.Literal(method))),
});

const GrantShape = Type.Object({
  issuer: Type.String(),
  tokenEndpoint: Type.String(),
  /** The one that signed in, registered or given: only it can renew. */
  client: ClientShape,
  resource: Nullable,
  /** The scope that was asked for; null for none. */
  asked: Nullable,
  /** What the next sign-in should ask for, because a call was refused for want of it. */
  wanted: Nullable,
  access: Type.String(),
  refresh: Nullable,
  /** Unix milliseconds; null when it was not said. */
  expiresAt: Type.Union([Type.Number(), Type.Null()]),
});

/** What a person's sign-in gave. Sealed as JSON. */
export type Grant = Static<typeof GrantShape>;
export type HeldGrant = { readonly grant: Grant; readonly version: number };

const isGrant = new Shape(GrantShape);

/** Writers that come between are few: after so many something else is wrong. */
const MAX_TRIES = 5;

/** The grant of one server. */
export class GrantKeeper {
  constructor(
    private readonly server: ToolServer,
    /** The configured one, null for any: a grant of another is worth nothing. */
    private readonly clientId: string | null,
    private readonly deps: UpstreamOAuthNeeds,
  ) {}

  async load(): Promise<HeldGrant | null> {
    const row = await this.deps.grants.grant(this.server.id);
    if (row === null) return null;
    const grant = parseJson(this.deps.open(grantPurpose(this.server.id), row.sealed));
    if (!isGrant.fits(grant) || (this.clientId !== null && this.clientId !== grant.client.id)) return null;
    return { grant, version: row.version };
  }

  /** False when another was first. */
  save(expected: number, grant: Grant): Promise<boolean> {
    const sealed = this.deps.seal(grantPurpose(this.server.id), JSON.stringify(grant));
    return this.deps.grants.saveGrant(this.server.id, expected, sealed);
  }

  /** Whatever is there: a new sign-in is worth more than all before it. */
  async replace(grant: Grant): Promise<void> {
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const row = await this.deps.grants.grant(this.server.id);
      if (await this.save(row?.version ?? 0, grant)) return;
    }
    throw new ToolFailure(
      "unauthorized",
      `The sign-in at ${this.server.slug} could not be kept. Sign in again.`,
      false,
    );
  }
}

export const peerOf = (server: ToolServer, deps: Pick<UpstreamOAuthNeeds, "fetch">): OAuthPeer => {
  if (server.url === null) throw new ToolFailure("unauthorized", `${server.slug} has no address.`, false);
  return { slug: server.slug, url: server.url, fetch: deps.fetch };
};
