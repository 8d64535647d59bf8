import { and, asc, desc, eq, isNotNull, isNull, lt, lte, ne, or, type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import type { PolicyProposal } from "#policy/baseline/baseline";
import { StoredEdits } from "#policy/baseline/edits";
import type { Decided, PolicyEdit, PolicyRevision, PolicyRow, PolicyStore } from "#store/policy-port";
import type { SerialisedRecord } from "#store/port";
import { StoredShape, strings } from "./columns";
import type { Connection } from "./connection";
import { tables } from "./schema";

const { policy, policyEdit, policyProposal } = tables;

const previous = alias(policy, "previous");

export class SqlitePolicies implements PolicyStore {
  readonly #edits = new StoredShape(StoredEdits);

  constructor(private readonly connection: Connection) {}

  async latest(): Promise<PolicyRow | null> {
    return this.newest();
  }

  async byRevision(revision: number): Promise<PolicyRevision | null> {
    return this.#revisions(eq(policy.revision, revision), 1)[0] ?? null;
  }

  async history({ before, limit }: { before: number | null; limit: number }): Promise<PolicyRevision[]> {
    const isNews = or(isNull(previous.source), ne(previous.source, policy.source), isNotNull(policyEdit.revision));
    return this.#revisions(and(isNews, before === null ? undefined : lt(policy.revision, before)), limit);
  }

  async editsAt(revision: number): Promise<PolicyEdit | null> {
    const found = this.connection.queries
      .select()
      .from(policyEdit)
      .where(lte(policyEdit.revision, revision))
      .orderBy(desc(policyEdit.revision))
      .limit(1)
      .get();
    return found ? this.#edit(found) : null;
  }

  async append(
    expected: number,
    source: string,
    createdAt: number,
    record: SerialisedRecord,
    byHand?: { readonly edit: Omit<PolicyEdit, "revision">; readonly ends: Decided | null },
  ): Promise<PolicyRow | null> {
    const row = { revision: expected + 1, source, created_at: createdAt };
    const appended = this.connection.change("policies", record, () => {
      if ((this.newest()?.revision ?? 0) !== expected) return false;
      if (byHand?.ends && !this.#end(byHand.ends)) return false;
      this.put(row);
      if (byHand) this.#putEdit({ ...byHand.edit, revision: row.revision });
      return true;
    });
    return appended ? row : null;
  }

  async propose(it: PolicyProposal, record: SerialisedRecord): Promise<void> {
    this.connection.change("all", record, () => {
      this.connection.queries.insert(policyProposal).values(it).run();
      return true;
    });
  }

  async proposal(id: string): Promise<PolicyProposal | null> {
    return this.#proposals(eq(policyProposal.id, id))[0] ?? null;
  }

  async waiting(): Promise<PolicyProposal[]> {
    return this.#proposals(eq(policyProposal.state, "waiting"));
  }

  async decide(decided: Decided, record: SerialisedRecord): Promise<boolean> {
    return this.connection.change("all", record, () => this.#end(decided));
  }

  /** Within a change of `policies`. */
  put(row: PolicyRow): void {
    this.connection.queries.insert(policy).values(row).run();
  }

  newest(): PolicyRow | null {
    return this.connection.queries.select().from(policy).orderBy(desc(policy.revision)).limit(1).get() ?? null;
  }

  #putEdit(edit: PolicyEdit): void {
    this.connection.queries.insert(policyEdit).values(edit).run();
  }

  /** False when it no longer waits: then nothing is written. */
  #end({ id, ...set }: Decided): boolean {
    const waiting = and(eq(policyProposal.id, id), eq(policyProposal.state, "waiting"));
    const update = this.connection.queries.update(policyProposal).set(set).where(waiting);
    return update.returning({ id: policyProposal.id }).all().length === 1;
  }

  #revisions(which: SQL | undefined, limit: number): PolicyRevision[] {
    return this.connection.queries
      .select({ row: policy, edit: policyEdit })
      .from(policy)
      .leftJoin(previous, eq(previous.revision, sql`${policy.revision} - 1`))
      .leftJoin(policyEdit, eq(policyEdit.revision, policy.revision))
      .where(which)
      .orderBy(desc(policy.revision))
      .limit(limit)
      .all()
      .map(({ row, edit }) => ({ ...row, edit: edit && this.#edit(edit) }));
  }

  #edit(edit: typeof policyEdit.$inferSelect): PolicyEdit {
    return { ...edit, edits: this.#edits.read(edit.edits, "edits of the policy") };
  }

  #proposals(which: SQL): PolicyProposal[] {
    const found = this.connection.queries.select().from(policyProposal).where(which);
    return found
      .orderBy(asc(policyProposal.proposed_at), asc(policyProposal.id))
      .all()
      .map((it) => ({
        ...it,
        edits: this.#edits.read(it.edits, "edits of a proposal"),
        eligible: strings(it.eligible, "people who can decide on a policy"),
      }));
  }
}
