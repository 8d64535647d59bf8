import { and, desc, eq, inArray, or } from "drizzle-orm";
import type { PageWindow } from "#core/page";
import type { Proposal } from "#model/tools/proposal";
import { anyRow, type Db, run, type Steps } from "#store/db";
import type { Imported, ProposalFilter, ProposalStore } from "#store/proposal-port";
import type { SerialisedRecord } from "#store/record";
import { afterId, counted } from "./windows";

export class Proposals implements ProposalStore {
  constructor(private readonly db: Db) {}

  async import(
    proposals: readonly Proposal[],
    recordOf: (ids: readonly string[]) => SerialisedRecord,
    most: number,
  ): Promise<Imported | "full"> {
    let outcome: Imported | "full" = "full";
    await this.db.changeAs("all", function* () {
      const fresh: Proposal[] = [];
      for (const proposal of proposals) if (!(yield* isKnown(proposal))) fresh.push(proposal);
      const waiting = yield* counted(({ proposal: it }) => [it, eq(it.state, "proposed")]);
      if (waiting + fresh.length > most) return null;
      const ids = fresh.map(({ id }) => id);
      outcome = { proposed: ids, unchanged: proposals.length - fresh.length };
      for (const proposal of fresh) yield* propose(proposal);
      return ids.length === 0 ? null : recordOf(ids);
    });
    return outcome;
  }

  page({ state, words = "" }: ProposalFilter, window: PageWindow): Promise<Proposal[]> {
    return this.db.all((q, { proposal: it }, { holds }) => {
      const sought = words === "" ? undefined : holds(it.name, words);
      const here = and(state === undefined ? undefined : eq(it.state, state), sought, afterId(it.id, window));
      return q.select().from(it).where(here).orderBy(desc(it.id)).limit(window.limit);
    });
  }

  byId(id: string): Promise<Proposal | null> {
    return this.db.one((q, { proposal: it }) => q.select().from(it).where(eq(it.id, id)));
  }

  named(name: string): Promise<Proposal[]> {
    return this.db.all((q, { proposal: it }) => q.select().from(it).where(eq(it.name, name)).orderBy(desc(it.id)));
  }

  approved(): Promise<Proposal[]> {
    return this.db.all((q, { proposal: it }) => q.select().from(it).where(eq(it.state, "approved")));
  }

  reject(id: string, decision: Parameters<ProposalStore["reject"]>[1], record: SerialisedRecord): Promise<boolean> {
    return this.db.change("all", record, () =>
      anyRow((q, { proposal: it }) =>
        q
          .update(it)
          .set({ ...decision, state: "rejected" })
          .where(and(eq(it.id, id), eq(it.state, "proposed")))
          .returning({ id: it.id }),
      ),
    );
  }
}

/** Whether it was proposed in that very form, and what came of that still holds. */
function* isKnown({ name, version, entry_hash }: Proposal): Steps<boolean> {
  return yield* anyRow((q, { proposal: it, toolServer }) => {
    const same = and(eq(it.name, name), eq(it.version, version), eq(it.entry_hash, entry_hash));
    const server = q.select({ id: toolServer.id }).from(toolServer);
    const made = and(eq(it.state, "approved"), inArray(it.server_id, server));
    return q
      .select({ id: it.id })
      .from(it)
      .where(and(same, or(inArray(it.state, ["proposed", "rejected"]), made)));
  });
}

function* propose(proposal: Proposal): Steps<void> {
  yield* run((q, { proposal: it }) =>
    q
      .update(it)
      .set({ state: "replaced", decided_at: proposal.imported_at })
      .where(and(eq(it.name, proposal.name), eq(it.state, "proposed"))),
  );
  yield* run((q, { proposal: it }) => q.insert(it).values(proposal));
}
