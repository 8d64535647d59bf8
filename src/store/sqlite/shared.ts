import { and, asc, eq, inArray, lt, lte, sql } from "drizzle-orm";
import { sha256Hex } from "#platform/hash";
import type { Pace, SharedStore, Tries } from "#store/shared-port";
import type { Connection } from "./connection";
import { counted } from "./connection";
import { tables } from "./schema";

const { usedOnce, pace, signInTries } = tables;

/** Rows that strangers can make there be, of each kind. Beyond it those that were counted longest ago go. */
const MOST = 50_000;
/** Rows that are swept out with one that is added. */
const SWEPT = 20;

export class SqliteShared implements SharedStore {
  constructor(
    private readonly connection: Connection,
    private readonly now: () => number,
  ) {}

  useOnce(scope: string, key: string, until: number): Promise<boolean> {
    const { queries } = this.connection;
    return this.connection.writeSoon<boolean>(() => {
      const over = queries.select({ until: usedOnce.until }).from(usedOnce).where(lte(usedOnce.until, this.now()));
      queries
        .delete(usedOnce)
        .where(inArray(usedOnce.until, over.limit(SWEPT)))
        .run();
      if (counted(queries, usedOnce) >= MOST) {
        const soonest = queries.select({ until: usedOnce.until }).from(usedOnce).orderBy(asc(usedOnce.until)).limit(1);
        queries.delete(usedOnce).where(inArray(usedOnce.until, soonest)).run();
      }
      const insert = queries.insert(usedOnce).values({ scope, key, until }).onConflictDoNothing();
      return insert.returning({ key: usedOnce.key }).all().length === 1;
    });
  }

  step(scope: string, paces: readonly Pace[], windowMs: number): Promise<number> {
    const { queries } = this.connection;
    return this.connection.writeSoon<number>(() => {
      const now = this.now();
      // Windows begin at the same moments in every process.
      const began = now - (now % windowMs);
      queries
        .delete(pace)
        .where(and(eq(pace.scope, scope), sql`${pace.began} <> ${began}`))
        .run();
      const countOf = (key: string): number => {
        const found = queries
          .select()
          .from(pace)
          .where(and(eq(pace.scope, scope), eq(pace.key, key)));
        return found.get()?.count ?? 0;
      };
      if (paces.some(({ key, most }) => countOf(key) >= most)) return began + windowMs - now;
      for (const { key } of paces) {
        const insert = queries.insert(pace).values({ scope, key, began, count: 1 });
        insert.onConflictDoUpdate({ target: [pace.scope, pace.key], set: { count: sql`${pace.count} + 1` } }).run();
      }
      return 0;
    });
  }

  async changeTries(
    keys: readonly string[],
    forgottenBefore: number,
    work: (known: readonly (Tries | null)[]) => readonly (Tries | null)[] | null,
  ): Promise<void> {
    const { queries } = this.connection;
    const hashed = keys.map(sha256Hex);
    await this.connection.writeSoon<void>(() => {
      const next = work(hashed.map((key) => this.triesOf(key, forgottenBefore)));
      if (next === null) return;
      for (const [at, key] of hashed.entries()) this.putTries(key, next[at] ?? null);
      const old = queries.select({ key: signInTries.key }).from(signInTries).where(lt(signInTries.at, forgottenBefore));
      queries
        .delete(signInTries)
        .where(inArray(signInTries.key, old.limit(SWEPT)))
        .run();
      // Names somebody makes up by the thousand push out none that has to wait.
      if (counted(queries, signInTries) <= MOST) return;
      const oldest = queries.select({ key: signInTries.key }).from(signInTries).where(eq(signInTries.open_at, 0));
      queries
        .delete(signInTries)
        .where(inArray(signInTries.key, oldest.orderBy(asc(signInTries.at)).limit(SWEPT)))
        .run();
    });
  }

  private triesOf(key: string, forgottenBefore: number): Tries | null {
    const row = this.connection.queries.select().from(signInTries).where(eq(signInTries.key, key)).get();
    if (row === undefined || row.at <= forgottenBefore) return null;
    return { count: row.count, at: row.at, openAt: row.open_at };
  }

  private putTries(key: string, tries: Tries | null): void {
    const { queries } = this.connection;
    if (tries === null) {
      queries.delete(signInTries).where(eq(signInTries.key, key)).run();
      return;
    }
    const set = { count: tries.count, at: tries.at, open_at: tries.openAt };
    queries
      .insert(signInTries)
      .values({ key, ...set })
      .onConflictDoUpdate({ target: signInTries.key, set })
      .run();
  }
}
