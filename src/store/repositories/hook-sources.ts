import { asc, eq } from "drizzle-orm";
import { type HookSource, SourceSettings } from "#model/hook-source";
import { all, anyRow, type Db, one, type Queries, run, type Steps } from "#store/db";
import type { HookSourceStore } from "#store/hook-source-port";
import type { SerialisedRecord } from "#store/record";
import { StoredShape, strings } from "#store/stored";
import type { Tables } from "#store/tables";
import { counted } from "./windows";

type Raw = Omit<HookSource, "settings" | "sealed_secrets"> & {
  readonly settings: unknown;
  readonly sealed_secrets: unknown;
};

const inOrder = (q: Queries, { hookSource: it }: Tables) => q.select().from(it).orderBy(asc(it.name));

const byId =
  (id: string) =>
  (q: Queries, { hookSource: it }: Tables) =>
    q.select().from(it).where(eq(it.id, id));

export class HookSources implements HookSourceStore {
  readonly #settings = new StoredShape(SourceSettings);

  constructor(private readonly db: Db) {}

  async add(source: HookSource, record: SerialisedRecord, most: number): Promise<"done" | "taken" | "full"> {
    let outcome: "done" | "taken" | "full" = "done";
    await this.db.change("hook_sources", record, function* () {
      if ((yield* counted(({ hookSource }) => [hookSource])) >= most) outcome = "full";
      else {
        const isNew = yield* anyRow((q, { hookSource: it }) =>
          q.insert(it).values(source).onConflictDoNothing({ target: it.name }).returning({ id: it.id }),
        );
        if (!isNew) outcome = "taken";
      }
      return outcome === "done";
    });
    return outcome;
  }

  async list(): Promise<HookSource[]> {
    return (await this.db.all(inOrder)).map(this.#checked);
  }

  replaceSecrets(source: HookSource, secrets: readonly string[], record: SerialisedRecord): Promise<boolean> {
    const checked = this.#checked;
    return this.db.change("hook_sources", record, function* () {
      const row = yield* one(byId(source.id));
      if (row === null || !isSame(checked(row).sealed_secrets, source.sealed_secrets)) return false;
      yield* run((q, { hookSource: it }) => q.update(it).set({ sealed_secrets: secrets }).where(eq(it.id, source.id)));
      return true;
    });
  }

  remove(id: string, record: SerialisedRecord): Promise<boolean> {
    return this.db.change("hook_sources", record, () =>
      anyRow((q, { hookSource: it }) => q.delete(it).where(eq(it.id, id)).returning({ id: it.id })),
    );
  }

  *every(): Steps<HookSource[]> {
    return (yield* all(inOrder)).map(this.#checked);
  }

  readonly #checked = ({ settings, sealed_secrets, ...row }: Raw): HookSource => ({
    ...row,
    settings: this.#settings.read(settings, `settings of hook source ${row.name}`),
    sealed_secrets: strings(sealed_secrets, `secrets of hook source ${row.name}`),
  });
}

const isSame = (one: readonly string[], other: readonly string[]): boolean => one.join() === other.join();
