import {
  and,
  desc,
  eq,
  exists,
  getTableColumns,
  gt,
  inArray,
  isNull,
  lt,
  lte,
  notExists,
  or,
  type SQL,
  sql,
} from "drizzle-orm";
import type { SQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core";
import type { Bearer, OAuthClient, OAuthConnection } from "#model/oauth/client";
import type { Clock } from "#platform/clock";
import { systemIds } from "#platform/ids";
import { all, anyRow, type Db, one, type Queries, run, type Steps } from "#store/db";
import type { Allowance, OAuthStore, RefreshState } from "#store/oauth-port";
import type { SerialisedRecord } from "#store/port";
import { strings } from "#store/stored";
import type { Tables } from "#store/tables";
import { inBatches } from "./batches";

/* Of clients, consents and tokens. The tables are the identity library's but for the allowlists and the turns. */

type Grant = { readonly user_id: string | null; readonly grant_id: string | null };

export class OAuth implements OAuthStore {
  readonly answersAtOnce: boolean = false;

  constructor(
    private readonly db: Db,
    private readonly now: Clock,
  ) {}

  async register(it: OAuthClient, resource: string, most: number, record: SerialisedRecord): Promise<void> {
    const { id, created_at: at } = it;
    await this.db.change("all", record, function* () {
      yield* run((q, { auth }) => q.insert(auth.oauthClient).values({ ...rowOf(it), id }));
      yield* run((q, { auth }) =>
        q.insert(auth.oauthClientResource).values({ id, clientId: id, resourceId: resource, createdAt: new Date(at) }),
      );
      yield* run((q, t) => {
        const { oauthClient: client } = t.auth;
        const surplus = q.select({ id: client.id }).from(client).where(neverLetIn(q, t)).orderBy(desc(client.id));
        return q.delete(client).where(inArray(client.id, surplus.limit(Number.MAX_SAFE_INTEGER).offset(most)));
      });
      return true;
    });
  }

  async client(id: string): Promise<OAuthClient | null> {
    const row = await this.db.one((q, { auth: { oauthClient: it } }) => q.select().from(it).where(eq(it.clientId, id)));
    return row && clientOf(row);
  }

  async describe(it: OAuthClient, resource: string, record: SerialisedRecord): Promise<void> {
    await this.db.change("all", record, function* () {
      const row = rowOf(it);
      const { name, redirectUris } = row;
      const described = yield* anyRow((q, { auth: { oauthClient: client } }) => {
        const isNews = sql`(${client.name} IS DISTINCT FROM ${name}
          OR ${client.redirectUris} IS DISTINCT FROM ${redirectUris})`;
        // What an administrator decided about it stays.
        const news = { target: client.clientId, set: { name, redirectUris }, setWhere: isNews };
        return q.insert(client).values(row).onConflictDoUpdate(news).returning({ id: client.id });
      });
      // The hub may have got another public URL since.
      const isLinked = yield* anyRow((q, { auth: { oauthClientResource: link } }) =>
        q
          .select({ id: link.id })
          .from(link)
          .where(and(eq(link.clientId, it.id), eq(link.resourceId, resource))),
      );
      if (isLinked) return described;
      const link = { id: systemIds(), clientId: it.id, resourceId: resource, createdAt: row.createdAt };
      yield* run((q, { auth }) => q.insert(auth.oauthClientResource).values(link));
      return true;
    });
  }

  async clientId(handle: string): Promise<string | null> {
    const row = await this.db.one((q, { auth: { oauthClient: it } }) =>
      q.select({ id: it.clientId }).from(it).where(eq(it.id, handle)),
    );
    return row?.id ?? null;
  }

  async clients(): Promise<OAuthClient[]> {
    const rows = await this.db.all((q, { auth: { oauthClient: it } }) => q.select().from(it).orderBy(desc(it.id)));
    return rows.map(clientOf);
  }

  setDisabled(clientId: string, disabled: boolean, record: SerialisedRecord): Promise<boolean> {
    return this.db.change("all", record, () =>
      anyRow((q, { auth: { oauthClient: it } }) =>
        q.update(it).set({ disabled }).where(eq(it.clientId, clientId)).returning({ id: it.id }),
      ),
    );
  }

  async connections(userId: string | null): Promise<OAuthConnection[]> {
    const now = new Date(this.now());
    const rows = await this.db.all((q, { auth, oauthAllowlist: it }) => {
      const live = (token: Tables["auth"]["oauthAccessToken"] | Tables["auth"]["oauthRefreshToken"]) => {
        const theirs = and(eq(token.clientId, it.client_id), eq(token.userId, it.user_id));
        const good = and(theirs, isNull(token.revoked), gt(token.expiresAt, now));
        return exists(q.select({ id: token.id }).from(token).where(good));
      };
      const connected = sql<unknown>`(${live(auth.oauthAccessToken)} OR ${live(auth.oauthRefreshToken)})`;
      const { oauthClient } = auth;
      return q
        .select({
          client: getTableColumns(oauthClient),
          user_id: it.user_id,
          tools: it.tools,
          consented_at: it.created_at,
          connected: connected.as("connected"),
        })
        .from(it)
        .innerJoin(oauthClient, eq(oauthClient.clientId, it.client_id))
        .where(userId === null ? undefined : eq(it.user_id, userId))
        .orderBy(desc(oauthClient.id), it.user_id);
    });
    return rows.map(({ client, tools, connected, ...row }) => ({
      ...row,
      client: clientOf(client),
      tools: strings(tools, "allowed tools"),
      // PostgreSQL says it as a truth, SQLite as a number.
      connected: connected === true || connected === 1,
    }));
  }

  async hasConsented(clientId: string, userId: string): Promise<boolean> {
    const row = await this.db.one((q, { oauthAllowlist: it }) =>
      q
        .select({ id: it.client_id })
        .from(it)
        .where(and(eq(it.client_id, clientId), eq(it.user_id, userId))),
    );
    return row !== null;
  }

  async allow({ client_id, user_id, tools, at }: Allowance, record: SerialisedRecord): Promise<void> {
    await this.db.change("all", record, function* () {
      // A client that was let in once is kept: its program would not know why it is unknown.
      yield* run((q, { auth: { oauthClient: it } }) =>
        q
          .update(it)
          .set({ updatedAt: new Date(at) })
          .where(eq(it.clientId, client_id)),
      );
      const news = { tools, created_at: at, updated_at: at };
      yield* run((q, { oauthAllowlist: it }) =>
        q
          .insert(it)
          .values({ client_id, user_id, ...news })
          .onConflictDoUpdate({ target: [it.client_id, it.user_id], set: news }),
      );
      return true;
    });
  }

  reallow({ client_id, user_id, tools, at }: Allowance, record: SerialisedRecord): Promise<boolean> {
    return this.db.change("all", record, () =>
      anyRow((q, { oauthAllowlist: it }) =>
        q
          .update(it)
          .set({ tools, updated_at: at })
          .where(and(eq(it.client_id, client_id), eq(it.user_id, user_id)))
          .returning({ id: it.client_id }),
      ),
    );
  }

  revokeConnection(clientId: string, userId: string, record: SerialisedRecord): Promise<boolean> {
    return this.db.change("all", record, function* () {
      for (const name of GIVEN) {
        yield* run((q, { auth }) => {
          const it = auth[name];
          return q.delete(it).where(and(eq(it.clientId, clientId), eq(it.userId, userId)));
        });
      }
      return yield* anyRow((q, { oauthAllowlist: it }) =>
        q
          .delete(it)
          .where(and(eq(it.client_id, clientId), eq(it.user_id, userId)))
          .returning({ id: it.client_id }),
      );
    });
  }

  verifyBearer(tokenHash: string, resource: string, now: number): Bearer | null | Promise<Bearer | null> {
    return this.#verified(tokenHash, resource, now);
  }

  async #verified(tokenHash: string, resource: string, now: number): Promise<Bearer | null> {
    const row = await this.db.one((q, t) => bearerQuery(q, t, tokenHash, now));
    // Fails closed: a token that names no resource is for none.
    if (row === null || !listOf(row.resources, "resources").includes(resource)) return null;
    return {
      id: row.id,
      client: { id: row.client_id, name: row.name === "" ? null : row.name },
      user_id: row.user_id,
      scopes: listOf(row.scopes, "scopes"),
      tools: strings(row.tools, "allowed tools"),
      created_at: row.created.getTime(),
      expires_at: row.expires.getTime(),
    };
  }

  async knowsCode(codeHash: string): Promise<boolean> {
    const found = await this.db.read(function* () {
      return (
        (yield* anyRow((q, { auth: { verification: it } }) =>
          q.select({ id: it.id }).from(it).where(eq(it.identifier, codeHash)).limit(1),
        )) ||
        (yield* anyRow((q, { auth: { oauthRefreshToken: it } }) =>
          q.select({ id: it.id }).from(it).where(eq(it.authorizationCodeId, codeHash)).limit(1),
        )) ||
        (yield* anyRow((q, { auth: { oauthAccessToken: it } }) =>
          q.select({ id: it.id }).from(it).where(eq(it.authorizationCodeId, codeHash)).limit(1),
        ))
      );
    });
    return found;
  }

  async refreshState(tokenHash: string, now: number): Promise<RefreshState | null> {
    const row = await this.db.one((q, { auth, user, oauthAllowlist }) => {
      const { oauthRefreshToken: it, oauthClient } = auth;
      return q
        .select({
          client_id: it.clientId,
          user_id: it.userId,
          grant_id: it.authorizationCodeId,
          resources: it.resources,
          scopes: it.scopes,
          revoked: it.revoked,
          reusable: it.rotationReplayExpiresAt,
        })
        .from(it)
        .innerJoin(oauthClient, and(eq(oauthClient.clientId, it.clientId), isEnabled(oauthClient)))
        .innerJoin(user, and(eq(user.id, it.userId), eq(user.state, "active")))
        .innerJoin(
          oauthAllowlist,
          and(eq(oauthAllowlist.client_id, it.clientId), eq(oauthAllowlist.user_id, it.userId)),
        )
        .where(and(eq(it.token, tokenHash), gt(it.expiresAt, new Date(now))));
    });
    if (row === null) return null;
    const { client_id, user_id, grant_id, revoked, reusable } = row;
    return {
      client_id,
      user_id,
      grant_id,
      resources: listOf(row.resources, "resources"),
      scopes: listOf(row.scopes, "scopes"),
      reusable_until: revoked === null ? null : (reusable?.getTime() ?? 0),
    };
  }

  async revokeGrant(
    tokenHash: string,
    clientId: string,
    record: (userId: string) => SerialisedRecord,
  ): Promise<{ readonly user_id: string } | null> {
    let found: { readonly user_id: string } | null = null;
    await this.db.changeAs("all", function* () {
      const grant = yield* grantOf(tokenHash, clientId);
      if (grant === null || grant.user_id === null) return null;
      for (const name of TOKENS) {
        yield* run((q, { auth }) => {
          const it = auth[name];
          const ofGrant = grant.grant_id === null ? undefined : eq(it.authorizationCodeId, grant.grant_id);
          return q.delete(it).where(or(ofGrant, eq(it.token, tokenHash)));
        });
      }
      found = { user_id: grant.user_id };
      return record(grant.user_id);
    });
    return found;
  }

  /**
   * A process that died during its turn is waited for until the turn is over. One that is over later than two turns from
   * now can only be from before the clock was set back.
   */
  acquireTurn(tokenHash: string, now: number, until: number): Promise<boolean> {
    return this.db.tx(() =>
      anyRow((q, { oauthTurn: it }) => {
        const isOver = sql`(${it.until} <= ${now} OR ${it.until} > ${until + (until - now)})`;
        const news = { target: it.token_hash, set: { until }, setWhere: isOver };
        return q
          .insert(it)
          .values({ token_hash: tokenHash, until })
          .onConflictDoUpdate(news)
          .returning({ id: it.token_hash });
      }),
    );
  }

  async endTurn(tokenHash: string): Promise<void> {
    await this.db.tx(() => run((q, { oauthTurn: it }) => q.delete(it).where(eq(it.token_hash, tokenHash))));
  }

  /** Rotated refresh tokens stay until they would have ended: that they are used again must be noticed. */
  async sweepOAuth(now: number, before: number): Promise<void> {
    const moment = new Date(now);
    await this.#drop((_, { auth: { oauthAccessToken: it } }) => [it, it.id, lte(it.expiresAt, moment)]);
    await this.#drop((_, { auth: { oauthRefreshToken: it } }) => [it, it.id, lte(it.expiresAt, moment)]);
    await this.#drop((_, { oauthTurn: it }) => [it, it.token_hash, lte(it.until, now)]);
    await this.#drop((q, t) => {
      const { oauthClient: it } = t.auth;
      return [it, it.id, and(lt(it.createdAt, new Date(before)), neverLetIn(q, t))];
    });
  }

  #drop(what: (q: Queries, t: Tables) => readonly [SQLiteTable, SQLiteColumn, SQL | undefined]): Promise<number> {
    return inBatches(this.db, function* (atMost) {
      const gone = yield* all((q, t) => {
        const [table, key, isOver] = what(q, t);
        const some = q.select({ key }).from(table).where(isOver).limit(atMost);
        return q.delete(table).where(inArray(key, some)).returning({ key });
      });
      return gone.length;
    });
  }
}

/** What was given to a client for a user. */
const GIVEN = ["oauthAccessToken", "oauthRefreshToken", "oauthConsent"] as const;
const TOKENS = ["oauthAccessToken", "oauthRefreshToken"] as const;

type ClientTable = Tables["auth"]["oauthClient"];
type ClientRow = ClientTable["$inferSelect"];

const isEnabled = (it: ClientTable): SQL => sql`coalesce(${it.disabled}, false) = false`;

const neverLetIn = (q: Queries, { auth: { oauthClient: it }, oauthAllowlist: list }: Tables): SQL | undefined =>
  and(
    lte(it.updatedAt, it.createdAt),
    isEnabled(it),
    notExists(q.select({ id: list.client_id }).from(list).where(eq(list.client_id, it.clientId))),
  );

function* grantOf(tokenHash: string, clientId: string): Steps<Grant | null> {
  for (const name of TOKENS) {
    const found = yield* one((q, { auth }) => {
      const it = auth[name];
      return q
        .select({ user_id: it.userId, grant_id: it.authorizationCodeId })
        .from(it)
        .where(and(eq(it.token, tokenHash), eq(it.clientId, clientId)));
    });
    if (found !== null) return found;
  }
  return null;
}

/** Everything that can be wrong with a token, in one look. */
const bearerQuery = (q: Queries, { auth, user, oauthAllowlist }: Tables, tokenHash: string, now: number) => {
  const { oauthAccessToken: it, oauthClient } = auth;
  return q
    .select({
      id: it.id,
      client_id: it.clientId,
      user_id: user.id,
      scopes: it.scopes,
      resources: it.resources,
      created: it.createdAt,
      expires: it.expiresAt,
      name: oauthClient.name,
      tools: oauthAllowlist.tools,
    })
    .from(it)
    .innerJoin(oauthClient, and(eq(oauthClient.clientId, it.clientId), isEnabled(oauthClient)))
    .innerJoin(user, and(eq(user.id, it.userId), eq(user.state, "active")))
    .innerJoin(oauthAllowlist, and(eq(oauthAllowlist.client_id, it.clientId), eq(oauthAllowlist.user_id, it.userId)))
    .where(and(eq(it.token, tokenHash), isNull(it.revoked), gt(it.expiresAt, new Date(now))));
};

const rowOf = ({ id, handle, name, redirect_uris, created_at }: OAuthClient) => ({
  id: handle,
  clientId: id,
  name,
  redirectUris: JSON.stringify(redirect_uris),
  disabled: false,
  skipConsent: false,
  scopes: '["mcp:tools","offline_access"]',
  applicationType: "native",
  tokenEndpointAuthMethod: "none",
  grantTypes: '["authorization_code","refresh_token"]',
  responseTypes: '["code"]',
  requirePKCE: true,
  createdAt: new Date(created_at),
  updatedAt: new Date(created_at),
});

const clientOf = (row: ClientRow): OAuthClient => ({
  id: row.clientId,
  handle: row.id,
  name: row.name,
  redirect_uris: listOf(row.redirectUris, "redirect URIs"),
  disabled: row.disabled ?? false,
  created_at: row.createdAt?.getTime() ?? 0,
});

/** Parsed and checked, never searched as text: a part of an address is not the address. */
const listOf = (text: string | null, what: string): string[] => (text === null ? [] : strings(JSON.parse(text), what));
