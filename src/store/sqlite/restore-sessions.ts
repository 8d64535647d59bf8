import { Database } from "bun:sqlite";
import { existsSync } from "node:fs";

/** Credentials in a restored database. What was revoked since the backup was made is good again. */
export type GoodAgain = {
  readonly sessions: number;
  /** Programs that people let in. */
  readonly grants: number;
  readonly tokens: number;
  /**
   * Gateway tokens that are good in the backup and are not in the data it takes the place of: revoked, disabled or
   * removed since. As they are shown everywhere. Null when that data could not be read.
   */
  readonly tokens_revoked_since: readonly string[] | null;
};

type Shown = { readonly id: string; readonly display: string };

const GOOD_TOKENS =
  "SELECT id, display FROM token WHERE state = 'active' AND (expires_at IS NULL OR expires_at > ?) ORDER BY id";

/** `present` is the file of the database that is still in place. */
export const goodAgainIn = (db: Database, present: string, now: number): GoodAgain => {
  const count = (text: string): number => db.query<{ n: number }, []>(text).get()?.n ?? 0;
  const tokens = db.query<Shown, [number]>(GOOD_TOKENS).all(now);
  const kept = goodTokensIn(present, now);
  const revoked = tokens.filter(({ id }) => kept !== null && !kept.has(id)).map(({ display }) => display);
  return {
    sessions:
      count(`SELECT count(*) AS n FROM session WHERE state = 'active' AND expires_at > ${now}`) +
      count(`SELECT count(*) AS n FROM auth_session WHERE expires_at > ${now}`),
    grants: count("SELECT count(*) AS n FROM oauth_allowlist"),
    tokens: tokens.length,
    tokens_revoked_since: kept === null ? null : revoked,
  };
};

const goodTokensIn = (file: string, now: number): ReadonlySet<string> | null => {
  if (!existsSync(file)) return null;
  let db: Database | null = null;
  try {
    db = new Database(file, { readwrite: true, create: false });
    return new Set(
      db
        .query<Shown, [number]>(GOOD_TOKENS)
        .all(now)
        .map(({ id }) => id),
    );
  } catch {
    return null; // damaged, or of a version without that table: that is why somebody restores
  } finally {
    db?.close();
  }
};

/** Everybody signs in anew, people and programs. Inside the transaction that records it. */
export const endSessions = (db: Database, changed: number): void => {
  for (const table of TAKEN) db.run(`DELETE FROM ${table}`);
  db.query("UPDATE session SET state = 'revoked', changed = ? WHERE state = 'active'").run(changed);
};

/** What is signed in, what was granted to programs, and links and codes that lead there. */
const TAKEN = [
  "auth_session",
  "auth_verification",
  "invitation",
  "auth_oauth_access_token",
  "auth_oauth_refresh_token",
  "auth_oauth_consent",
  "oauth_allowlist",
];
