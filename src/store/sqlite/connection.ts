import type { Database } from "bun:sqlite";
import { eq, sql } from "drizzle-orm";
import { type BunSQLiteDatabase, drizzle } from "drizzle-orm/bun-sqlite";
import type { SerialisedRecord } from "#store/port";
import type { AuditChain } from "./audit-chain";
import { transaction } from "./database";
import { tables } from "./schema";

/** The main thread's connection: queries, and changes of governance with their audit records. */
export class Connection {
  readonly queries: BunSQLiteDatabase;
  readonly #revision: () => number;

  constructor(
    readonly db: Database,
    readonly chain: AuditChain,
  ) {
    this.queries = drizzle(db);
    const { revision } = tables;
    const current = this.queries.select().from(revision).where(eq(revision.subject, "all")).prepare();
    this.#revision = () => current.get()?.value ?? 0;
  }

  revision(): number {
    return this.#revision();
  }

  /**
   * A change and its record, or neither. `work` gets the revision the change makes and says whether it changed
   * anything; when it did not, nothing is written.
   */
  change(subject: "all" | "providers", record: SerialisedRecord, work: (revision: number) => boolean): boolean {
    return transaction<boolean>(this.db, () => {
      const next = this.#revision() + 1;
      if (!work(next)) return false;
      const { revision } = tables;
      const raised = subject === "all" ? eq(revision.subject, "all") : sql`true`;
      this.queries.update(revision).set({ value: next }).where(raised).run();
      this.chain.append([record]);
      return true;
    });
  }
}
