import type { Bearer, OAuthClient, OAuthConnection } from "#model/oauth/client";
import type { Clock } from "#platform/clock";
import type { Allowance, OAuthStore, RefreshState } from "#store/oauth-port";
import type { SerialisedRecord } from "#store/port";
import { strings } from "#store/stored";
import { inBatches } from "./batches";
import type { Connection } from "./connection";
import * as sql from "./oauth-sql";

type ClientRow = {
  readonly client_id: string;
  readonly handle: string;
  readonly name: string | null;
  readonly redirect_uris: string;
  readonly disabled: number;
  readonly created_at: number;
};
type ConnectionRow = ClientRow & {
  readonly user_id: string;
  readonly tools: string;
  readonly consented_at: number;
  readonly connected: number;
};
type BearerRow = Pick<Bearer, "id" | "user_id" | "created_at" | "expires_at"> & {
  readonly client_id: string;
  /** Empty for a client without one; null for a client that is gone or disabled. */
  readonly name: string | null;
  readonly active_id: string | null;
  readonly scopes: string;
  readonly resources: string | null;
  readonly tools: string | null;
};
type RefreshRow = Omit<RefreshState, "resources" | "scopes"> & {
  readonly resources: string | null;
  readonly scopes: string;
};
type GrantRow = { readonly user_id: string; readonly grant_id: string | null };
type Values = Readonly<Record<string, string | number | null>>;

export class SqliteOAuth implements OAuthStore {
  readonly #bearer;

  constructor(
    private readonly connection: Connection,
    private readonly now: Clock,
  ) {
    this.#bearer = connection.db.prepare<BearerRow, [string, number]>(sql.BEARER);
  }

  async register(it: OAuthClient, resource: string, most: number, record: SerialisedRecord): Promise<void> {
    const { id, name, created_at: at } = it;
    this.connection.change("all", record, () => {
      this.run(sql.INSERT_CLIENT, { $id: id, $name: name, $uris: JSON.stringify(it.redirect_uris), $at: at });
      this.run(sql.LINK_CLIENT, { $id: id, $resource: resource, $at: at });
      this.run(sql.FORGET_SURPLUS, { $most: most });
      return true;
    });
  }

  async client(id: string): Promise<OAuthClient | null> {
    const text = `SELECT ${sql.CLIENT_COLUMNS} FROM auth_oauth_client c WHERE c.client_id = ?`;
    const row = this.connection.db.query<ClientRow, [string]>(text).get(id);
    return row && clientOf(row);
  }

  async describe(it: OAuthClient, resource: string, record: SerialisedRecord): Promise<void> {
    const { id, handle, name, created_at: at } = it;
    this.connection.change("all", record, () => {
      const uris = JSON.stringify(it.redirect_uris);
      const described = this.run(sql.DESCRIBE_CLIENT, { $id: id, $handle: handle, $name: name, $uris: uris, $at: at });
      return described + this.run(sql.LINK_DESCRIBED, { $id: id, $resource: resource, $at: at }) > 0;
    });
  }

  async clientId(handle: string): Promise<string | null> {
    const text = "SELECT client_id FROM auth_oauth_client WHERE id = ?";
    return this.connection.db.query<{ client_id: string }, [string]>(text).get(handle)?.client_id ?? null;
  }

  async clients(): Promise<OAuthClient[]> {
    const text = `SELECT ${sql.CLIENT_COLUMNS} FROM auth_oauth_client c ORDER BY c.id DESC`;
    return this.connection.db.query<ClientRow, []>(text).all().map(clientOf);
  }

  async setDisabled(clientId: string, disabled: boolean, record: SerialisedRecord): Promise<boolean> {
    const text = "UPDATE auth_oauth_client SET disabled = $disabled WHERE client_id = $client";
    const values = { $client: clientId, $disabled: disabled ? 1 : 0 };
    return this.connection.change("all", record, () => this.run(text, values) === 1);
  }

  async connections(userId: string | null): Promise<OAuthConnection[]> {
    const query = this.connection.db.query<ConnectionRow, [Values]>(sql.CONNECTIONS);
    return query.all({ $user: userId, $now: this.now() }).map((row) => ({
      client: clientOf(row),
      user_id: row.user_id,
      tools: listOf(row.tools, "allowed tools"),
      consented_at: row.consented_at,
      connected: row.connected === 1,
    }));
  }

  async hasConsented(clientId: string, userId: string): Promise<boolean> {
    const text = "SELECT 1 FROM oauth_allowlist WHERE client_id = ? AND user_id = ?";
    return this.connection.db.query<unknown, [string, string]>(text).get(clientId, userId) !== null;
  }

  async allow(allowance: Allowance, record: SerialisedRecord): Promise<void> {
    this.connection.change("all", record, () => {
      this.run(sql.HAS_CONSENTED, { $client: allowance.client_id, $now: allowance.at });
      return this.run(sql.ALLOW, valuesOf(allowance)) === 1;
    });
  }

  async reallow(allowance: Allowance, record: SerialisedRecord): Promise<boolean> {
    return this.connection.change("all", record, () => this.run(sql.REALLOW, valuesOf(allowance)) === 1);
  }

  async revokeConnection(client: string, user: string, record: SerialisedRecord): Promise<boolean> {
    const theirs = "client_id = $client AND user_id = $user";
    const values = { $client: client, $user: user };
    return this.connection.change("all", record, () => {
      for (const table of ["auth_oauth_access_token", "auth_oauth_refresh_token", "auth_oauth_consent"]) {
        this.run(`DELETE FROM ${table} WHERE ${theirs}`, values);
      }
      return this.run(`DELETE FROM oauth_allowlist WHERE ${theirs}`, values) === 1;
    });
  }

  verifyBearer(tokenHash: string, resource: string, now: number): Bearer | null {
    const row = this.#bearer.get(tokenHash, now);
    if (!row || row.name === null || row.active_id === null || row.tools === null) return null;
    // Fails closed: a token that names no resource is for none.
    if (!listOf(row.resources, "resources").includes(resource)) return null;
    return {
      id: row.id,
      client: { id: row.client_id, name: row.name === "" ? null : row.name },
      user_id: row.user_id,
      scopes: listOf(row.scopes, "scopes"),
      tools: listOf(row.tools, "allowed tools"),
      created_at: row.created_at,
      expires_at: row.expires_at,
    };
  }

  async knowsCode(codeHash: string): Promise<boolean> {
    return this.connection.db.query<unknown, [Values]>(sql.KNOWN_CODE).get({ $hash: codeHash }) !== null;
  }

  async refreshState(tokenHash: string, now: number): Promise<RefreshState | null> {
    const row = this.connection.db.query<RefreshRow, [string, number]>(sql.REFRESH).get(tokenHash, now);
    return row && { ...row, resources: listOf(row.resources, "resources"), scopes: listOf(row.scopes, "scopes") };
  }

  async revokeGrant(
    tokenHash: string,
    clientId: string,
    record: (userId: string) => SerialisedRecord,
  ): Promise<{ readonly user_id: string } | null> {
    let found: GrantRow | null = null;
    this.connection.changeAs("all", () => {
      const values = { $hash: tokenHash, $client: clientId };
      found = this.connection.db.query<GrantRow, [Values]>(sql.GRANT_OF).get(values);
      if (found === null) return null;
      for (const table of ["auth_oauth_access_token", "auth_oauth_refresh_token"]) {
        this.run(`DELETE FROM ${table} WHERE authorization_code_id = $grant OR token = $hash`, {
          $grant: found.grant_id,
          $hash: tokenHash,
        });
      }
      return record(found.user_id);
    });
    return found;
  }

  async acquireTurn(tokenHash: string, now: number, until: number): Promise<boolean> {
    const values = { $hash: tokenHash, $now: now, $until: until };
    return this.connection.writeSoon<boolean>(() => this.run(sql.TAKE_TURN, values) === 1);
  }

  async endTurn(tokenHash: string): Promise<void> {
    const text = "DELETE FROM oauth_turn WHERE token_hash = $hash";
    await this.connection.writeSoon<number>(() => this.run(text, { $hash: tokenHash }));
  }

  async sweepOAuth(now: number, before: number): Promise<void> {
    const sweep = (text: string, $now: number) =>
      inBatches(this.connection, ($most) => this.run(text, { $now, $most }));
    for (const text of sql.SWEEP) await sweep(text, now);
    await sweep(sql.SWEEP_CLIENTS, before);
  }

  /** How many rows it changed. */
  private run(text: string, values: Values): number {
    return this.connection.db.query<unknown, [Values]>(text).run(values).changes;
  }
}

const valuesOf = ({ client_id, user_id, tools, at }: Allowance): Values => ({
  $client: client_id,
  $user: user_id,
  $tools: JSON.stringify(tools),
  $now: at,
});

const clientOf = (row: ClientRow): OAuthClient => ({
  id: row.client_id,
  handle: row.handle,
  name: row.name,
  redirect_uris: listOf(row.redirect_uris, "redirect URIs"),
  disabled: row.disabled !== 0,
  created_at: row.created_at,
});

/** Parsed and checked, never searched as text: a part of an address is not the address. */
const listOf = (text: string | null, what: string): string[] => (text === null ? [] : strings(JSON.parse(text), what));
