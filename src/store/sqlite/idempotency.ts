import { and, eq, isNull, lt } from "drizzle-orm";
import type { IdempotencyStore, Replay } from "#store/loop-port";
import type { Connection } from "./connection";
import { tables } from "./schema";

const { idempotency } = tables;

const FORGOTTEN_AFTER_MS = 86_400_000;
const FORGOTTEN_AT_ONCE = 50;
/** No request takes so long: who made the claim died, and its caller must be able to try again. */
const ABANDONED_AFTER_MS = 600_000;

type Claim = Awaited<ReturnType<IdempotencyStore["claim"]>>;

export class SqliteIdempotency implements IdempotencyStore {
  constructor(private readonly connection: Connection) {}

  async claim(scope: string, key: string, fingerprint: string, now: number): Promise<Claim> {
    const { queries } = this.connection;
    return this.connection.writeSoon<Claim>(() => {
      this.#forget(now - FORGOTTEN_AFTER_MS);
      const abandoned = and(isNull(idempotency.status), lt(idempotency.created_at, now - ABANDONED_AFTER_MS));
      queries
        .delete(idempotency)
        .where(and(at(scope, key), abandoned))
        .run();
      const found = queries.select().from(idempotency).where(at(scope, key)).get();
      if (found === undefined) {
        queries.insert(idempotency).values({ scope, key, fingerprint, created_at: now }).run();
        return { kind: "fresh" };
      }
      const { status, body } = found;
      if (found.fingerprint !== fingerprint) return { kind: "mismatch" };
      return status === null || body === null ? { kind: "running" } : { kind: "replay", replay: { status, body } };
    });
  }

  /** A few at a time: each claim adds one at most. */
  #forget(before: number): void {
    const sql = `DELETE FROM idempotency WHERE (scope, key) IN
      (SELECT scope, key FROM idempotency WHERE created_at < ? LIMIT ${FORGOTTEN_AT_ONCE})`;
    this.connection.db.query<unknown, [number]>(sql).run(before);
  }

  async finish(scope: string, key: string, replay: Replay | null): Promise<void> {
    const { queries } = this.connection;
    const open = and(at(scope, key), isNull(idempotency.status));
    await this.connection.writeSoon<void>(() => {
      if (replay === null) queries.delete(idempotency).where(open).run();
      else queries.update(idempotency).set(replay).where(open).run();
    });
  }
}

const at = (scope: string, key: string) => and(eq(idempotency.scope, scope), eq(idempotency.key, key));
