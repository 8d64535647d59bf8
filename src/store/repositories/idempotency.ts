import { and, eq, isNull, lt, sql } from "drizzle-orm";
import { type Db, one, run, type Steps } from "#store/db";
import type { IdempotencyStore, Replay } from "#store/loop-port";
import type { Tables } from "#store/tables";

const FORGOTTEN_AFTER_MS = 86_400_000;
const FORGOTTEN_AT_ONCE = 50;
/** No request takes so long: who made the claim died, and its caller must be able to try again. */
const ABANDONED_AFTER_MS = 600_000;

type Claim = Awaited<ReturnType<IdempotencyStore["claim"]>>;

export class Idempotency implements IdempotencyStore {
  constructor(private readonly db: Db) {}

  claim(scope: string, key: string, fingerprint: string, now: number): Promise<Claim> {
    const claim = function* (): Steps<Claim> {
      yield* forget(now - FORGOTTEN_AFTER_MS);
      yield* run((q, { idempotency: it }) => {
        const abandoned = and(isNull(it.status), lt(it.created_at, now - ABANDONED_AFTER_MS));
        return q.delete(it).where(and(at(it, scope, key), abandoned));
      });
      const found = yield* one((q, { idempotency: it }) =>
        q
          .select()
          .from(it)
          .where(at(it, scope, key)),
      );
      if (found === null) {
        yield* run((q, { idempotency: it }) => q.insert(it).values({ scope, key, fingerprint, created_at: now }));
        return { kind: "fresh" };
      }
      const { status, body } = found;
      if (found.fingerprint !== fingerprint) return { kind: "mismatch" };
      return status === null || body === null ? { kind: "running" } : { kind: "replay", replay: { status, body } };
    };
    return this.db.tx(claim, "idempotency");
  }

  async finish(scope: string, key: string, replay: Replay | null): Promise<void> {
    await this.db.tx(() =>
      run((q, { idempotency: it }) => {
        const open = and(at(it, scope, key), isNull(it.status));
        return replay === null ? q.delete(it).where(open) : q.update(it).set(replay).where(open);
      }),
    );
  }
}

/** A few at a time: each claim adds one at most. */
const forget = (before: number): Steps<void> =>
  run((q, { idempotency: it }) => {
    const { scope, key } = it;
    const some = q.select({ scope, key }).from(it).where(lt(it.created_at, before)).limit(FORGOTTEN_AT_ONCE);
    return q.delete(it).where(sql`(${scope}, ${key}) in ${some}`);
  });

const at = ({ scope: ofScope, key: ofKey }: Tables["idempotency"], scope: string, key: string) =>
  and(eq(ofScope, scope), eq(ofKey, key));
