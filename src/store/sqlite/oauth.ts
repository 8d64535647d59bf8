import type { Bearer } from "#model/oauth/client";
import type { Clock } from "#platform/clock";
import type { Db } from "#store/db";
import { OAuth } from "#store/repositories/oauth";
import { strings } from "#store/stored";
import type { Connection } from "./connection";

/**
 * Everything that can be wrong with a token, in one look: nothing of it is remembered between calls. What is null says
 * what is no good. Not written as joins: the same look-ups take five times as long so.
 */
const BEARER = `
  SELECT t.id, t.client_id, t.user_id, t.scopes, t.resources, t.created_at, t.expires_at,
    (SELECT coalesce(c.name, '') FROM auth_oauth_client c
      WHERE c.client_id = t.client_id AND coalesce(c.disabled, 0) = 0) AS name,
    (SELECT u.id FROM "user" u WHERE u.id = t.user_id AND u.state = 'active') AS active_id,
    (SELECT a.tools FROM oauth_allowlist a WHERE a.client_id = t.client_id AND a.user_id = t.user_id) AS tools
  FROM auth_oauth_access_token t
  WHERE t.token = ? AND t.revoked IS NULL AND t.expires_at > ?`;

type BearerRow = Pick<Bearer, "id" | "user_id" | "created_at" | "expires_at"> & {
  readonly client_id: string;
  /** Empty for a client without one; null for a client that is gone or disabled. */
  readonly name: string | null;
  readonly active_id: string | null;
  readonly scopes: string;
  readonly resources: string | null;
  readonly tools: string | null;
};

/** The repository, but for what is asked at each call of the gateway: here it is answered at once. */
export class SqliteOAuth extends OAuth {
  override readonly answersAtOnce = true;
  readonly #bearer;

  constructor(db: Db, connection: Connection, now: Clock) {
    super(db, now);
    this.#bearer = connection.db.prepare<BearerRow, [string, number]>(BEARER);
  }

  override verifyBearer(tokenHash: string, resource: string, now: number): Bearer | null {
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
}

/** Parsed and checked, never searched as text: a part of an address is not the address. */
const listOf = (text: string | null, what: string): string[] => (text === null ? [] : strings(JSON.parse(text), what));
