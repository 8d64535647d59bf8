import { and, asc, desc, eq, isNotNull, lt, lte, or, type SQL, sql } from "drizzle-orm";
import type { PolicyProposal } from "#policy/baseline/baseline";
import { StoredEdits } from "#policy/baseline/edits";
import { anyRow, type Db, one, type Queries, run, type Steps } from "#store/db";
import type { Decided, PolicyEdit, PolicyRevision, PolicyRow, PolicyStore } from "#store/policy-port";
import type { SerialisedRecord } from "#store/port";
import { StoredShape, strings } from "#store/stored";
import type { Tables } from "#store/tables";

type Where = (tables: Tables) => SQL | undefined;

const latest = (q: Queries, { policy }: Tables) => q.select().from(policy).orderBy(desc(policy.revision)).limit(1);

export class Policies implements PolicyStore {
  readonly #edits = new StoredShape(StoredEdits);

  constructor(private readonly db: Db) {}

  latest(): Promise<PolicyRow | null> {
    return this.db.one(latest);
  }

  async byRevision(revision: number): Promise<PolicyRevision | null> {
    return (await this.#revisions(({ policy }) => eq(policy.revision, revision), 1))[0] ?? null;
  }

  history({ before, limit }: { before: number | null; limit: number }): Promise<PolicyRevision[]> {
    const where: Where = ({ policy, policyEdit }) => {
      const isAsBefore = sql`exists (select 1 from ${policy} as it
        where it.revision = ${policy.revision} - 1 and it.source = ${policy.source})`;
      const isNews = or(sql`not ${isAsBefore}`, isNotNull(policyEdit.revision));
      return and(isNews, before === null ? undefined : lt(policy.revision, before));
    };
    return this.#revisions(where, limit);
  }

  async editsAt(revision: number): Promise<PolicyEdit | null> {
    const found = await this.db.one((q, { policyEdit }) => {
      const until = q.select().from(policyEdit).where(lte(policyEdit.revision, revision));
      return until.orderBy(desc(policyEdit.revision)).limit(1);
    });
    return found && this.#edit(found);
  }

  async append(
    expected: number,
    source: string,
    createdAt: number,
    record: SerialisedRecord,
    byHand?: { readonly edit: Omit<PolicyEdit, "revision">; readonly ends: Decided | null },
  ): Promise<PolicyRow | null> {
    const row = { revision: expected + 1, source, created_at: createdAt };
    const policies = this;
    const appended = await this.db.change("policies", record, function* () {
      if (((yield* policies.newest())?.revision ?? 0) !== expected) return false;
      if (byHand?.ends && !(yield* policies.#end(byHand.ends))) return false;
      yield* policies.put(row);
      if (byHand) {
        const edit = { ...byHand.edit, revision: row.revision };
        yield* run((q, { policyEdit }) => q.insert(policyEdit).values(edit));
      }
      return true;
    });
    return appended ? row : null;
  }

  async propose(it: PolicyProposal, record: SerialisedRecord): Promise<void> {
    await this.db.change("all", record, function* () {
      yield* run((q, { policyProposal }) => q.insert(policyProposal).values(it));
      return true;
    });
  }

  async proposal(id: string): Promise<PolicyProposal | null> {
    return (await this.#proposals(({ policyProposal }) => eq(policyProposal.id, id)))[0] ?? null;
  }

  waiting(): Promise<PolicyProposal[]> {
    return this.#proposals(({ policyProposal }) => eq(policyProposal.state, "waiting"));
  }

  decide(decided: Decided, record: SerialisedRecord): Promise<boolean> {
    return this.db.change("all", record, () => this.#end(decided));
  }

  /** Within a change of `policies`. */
  *put(row: PolicyRow): Steps<void> {
    yield* run((q, { policy }) => q.insert(policy).values(row));
  }

  *newest(): Steps<PolicyRow | null> {
    return yield* one(latest);
  }

  /** False when it no longer waits: then nothing is written. */
  #end({ id, ...set }: Decided): Steps<boolean> {
    return anyRow((q, { policyProposal: it }) =>
      q
        .update(it)
        .set(set)
        .where(and(eq(it.id, id), eq(it.state, "waiting")))
        .returning({ id: it.id }),
    );
  }

  async #revisions(where: Where, limit: number): Promise<PolicyRevision[]> {
    const rows = await this.db.all((q, t) =>
      q
        .select({ row: t.policy, edit: t.policyEdit })
        .from(t.policy)
        .leftJoin(t.policyEdit, eq(t.policyEdit.revision, t.policy.revision))
        .where(where(t))
        .orderBy(desc(t.policy.revision))
        .limit(limit),
    );
    return rows.map(({ row, edit }) => ({ ...row, edit: edit && this.#edit(edit) }));
  }

  #edit(edit: Tables["policyEdit"]["$inferSelect"]): PolicyEdit {
    return { ...edit, edits: this.#edits.read(edit.edits, "edits of the policy") };
  }

  async #proposals(where: Where): Promise<PolicyProposal[]> {
    const rows = await this.db.all((q, t) => {
      const order = [asc(t.policyProposal.proposed_at), asc(t.policyProposal.id)];
      return q
        .select()
        .from(t.policyProposal)
        .where(where(t))
        .orderBy(...order);
    });
    return rows.map((it) => ({
      ...it,
      edits: this.#edits.read(it.edits, "edits of a proposal"),
      eligible: strings(it.eligible, "people who can decide on a policy"),
    }));
  }
}
