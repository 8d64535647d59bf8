import { and, eq, isNull, lt, sql } from "drizzle-orm";
import { type Db, keptCommand, one, run, type Steps } from "#store/db";
import type { IdempotencyStore, Replay } from "#store/loop-port";
import type { Tables } from "#store/tables";

const FORGOTTEN_AFTER_MS = 86_400_000;
const FORGOTTEN_AT_ONCE = 50;
/** No request takes so long: who made the claim died, and its caller must be able to try again. */
const ABANDONED_AFTER_MS = 600_000;

type Claim = Awaited<ReturnType<IdempotencyStore["claim"]>>;

export class Idempotency implements IdempotencyStore {
  /** A few at a time: each claim adds one at most. Made once, for it is part of every claim. */
  readonly #forget = keptCommand((q, { idempotency: it }) => {
    const { scope, key } = it;
    const old = lt(it.created_at, sql.placeholder("before"));
    const some = q.select({ scope, key }).from(it).where(old).limit(FORGOTTEN_AT_ONCE);
    return q.delete(it).where(sql`(${scope}, ${key}) in ${some}`);
  });

  constructor(private readonly db: Db) {}

  claim(scope: string, key: string, fingerprint: string, now: number): Promise<Claim> {
    const forget = this.#forget;
    const claim = function* (): Steps<Claim> {
      yield* run(forget, { before: now - FORGOTTEN_AFTER_MS });
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

const at = ({ scope: ofScope, key: ofKey }: Tables["idempotency"], scope: string, key: string) =>
  and(eq(ofScope, scope), eq(ofKey, key));
