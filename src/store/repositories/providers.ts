import { and, asc, desc, eq, getTableColumns, gte } from "drizzle-orm";
import { type BreakerReading, ProviderSaid } from "#model/provider";
import { all, anyRow, type Db, moment, type Queries, run, type Steps } from "#store/db";
import {
  type Added,
  type NotedBreaker,
  PROCESS_SILENCE_MS,
  type ProviderPatch,
  type ProviderRow,
  type ProviderStore,
  type SerialisedRecord,
} from "#store/port";
import { StoredShape } from "#store/stored";
import type { Tables } from "#store/tables";
import { counted } from "./windows";

const shown = ({ provider }: Tables) => {
  const { changed: _changed, ...columns } = getTableColumns(provider);
  return columns;
};

const inOrder = (q: Queries, t: Tables) => {
  const order = [asc(t.provider.priority), asc(t.provider.name)];
  return q
    .select(shown(t))
    .from(t.provider)
    .orderBy(...order);
};

export class Providers implements ProviderStore {
  readonly #said = new StoredShape(ProviderSaid);

  constructor(private readonly db: Db) {}

  async add(it: ProviderRow, record: SerialisedRecord, most = Number.POSITIVE_INFINITY): Promise<Added> {
    let outcome: Added = "done";
    await this.db.change("providers", record, function* (changed) {
      if ((yield* counted(({ provider }) => [provider])) >= most) outcome = "full";
      else {
        const isNew = yield* anyRow((q, { provider }) => {
          const insert = q.insert(provider).values({ ...it, changed });
          return insert.onConflictDoNothing({ target: provider.name }).returning({ id: provider.id });
        });
        if (!isNew) outcome = "taken";
      }
      return outcome === "done";
    });
    return outcome;
  }

  async list(): Promise<ProviderRow[]> {
    return (await this.db.all(inOrder)).map((row) => this.checked(row));
  }

  async update(id: string, patch: ProviderPatch, record: SerialisedRecord): Promise<"done" | "missing" | "taken"> {
    let outcome: "done" | "missing" | "taken" = "done";
    const providers = this;
    await this.db.change("providers", record, function* (changed) {
      const rows = yield* providers.every();
      const before = rows.find((row) => row.id === id);
      const after = before && { ...before, ...patch };
      if (!after) outcome = "missing";
      else if (rows.some((row) => row.id !== id && row.name === after.name)) outcome = "taken";
      else
        yield* run((q, { provider }) =>
          q
            .update(provider)
            .set({ ...after, changed })
            .where(eq(provider.id, id)),
        );
      return outcome === "done";
    });
    return outcome;
  }

  remove(name: string, record: SerialisedRecord): Promise<boolean> {
    return this.db.change("providers", record, () =>
      anyRow((q, { provider }) => q.delete(provider).where(eq(provider.name, name)).returning({ id: provider.id })),
    );
  }

  *every(): Steps<ProviderRow[]> {
    const rows = yield* all(inOrder);
    return rows.map((row) => this.checked(row));
  }

  async noteBreaker(process_id: string, provider_id: string, reading: BreakerReading): Promise<void> {
    const { state, cause, failures, since } = reading;
    await this.db.tx(function* () {
      yield* run((q, { providerBreaker: it }) =>
        q.delete(it).where(and(eq(it.process_id, process_id), eq(it.provider_id, provider_id))),
      );
      if (state === "closed" || cause === null || since === null) return;
      const row = { process_id, provider_id, state, cause, failures, since };
      yield* run((q, { providerBreaker }) => q.insert(providerBreaker).values(row));
    });
  }

  breakers(): Promise<NotedBreaker[]> {
    return this.db.read(function* () {
      const silent = (yield* moment()) - PROCESS_SILENCE_MS;
      return yield* all((q, { providerBreaker, hubProcess }) => {
        const { process_id: _process, ...columns } = getTableColumns(providerBreaker);
        return q
          .select(columns)
          .from(providerBreaker)
          .innerJoin(hubProcess, eq(hubProcess.id, providerBreaker.process_id))
          .where(gte(hubProcess.heard_at, silent))
          .orderBy(desc(providerBreaker.since));
      });
    });
  }

  private checked({ models, apis, aliases, credential, ...row }: Raw): ProviderRow {
    return { ...row, ...this.#said.read({ models, apis, aliases, credential }, `provider ${row.name}`) };
  }
}

type Json = "models" | "apis" | "aliases" | "credential";
type Raw = Omit<ProviderRow, Json> & Readonly<Record<Json, unknown>>;
