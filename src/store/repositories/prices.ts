import { and, asc, eq } from "drizzle-orm";
import { Type } from "#core/schema";
import { type PriceRow, TOKEN_KINDS } from "#model/price";
import { all, anyRow, type Db, type Queries, run, type Steps } from "#store/db";
import type { PriceStore } from "#store/money-port";
import type { SerialisedRecord } from "#store/port";
import { StoredShape } from "#store/stored";
import type { Tables } from "#store/tables";
import { counted } from "./windows";

const Prices = Type.Intersect([
  Type.Object({ input: Type.Number(), output: Type.Number() }),
  Type.Partial(Type.Record(Type.Union(TOKEN_KINDS.map((kind) => Type.Literal(kind))), Type.Number())),
]);

const inOrder = (q: Queries, { price: it }: Tables) =>
  q
    .select({ model: it.model, provider: it.provider, prices: it.prices })
    .from(it)
    .orderBy(asc(it.model), asc(it.provider));

const named = ({ price: it }: Tables, { model, provider }: Pick<PriceRow, "model" | "provider">) =>
  and(eq(it.model, model), eq(it.provider, provider ?? ""));

export class PriceRows implements PriceStore {
  readonly #prices = new StoredShape(Prices);

  constructor(private readonly db: Db) {}

  async list(): Promise<PriceRow[]> {
    return (await this.db.all(inOrder)).map(this.#checked);
  }

  put({ model, provider, prices }: PriceRow, record: SerialisedRecord, most: number): Promise<boolean> {
    return this.db.change("prices", record, function* (changed) {
      const isKnown = yield* anyRow((q, t) =>
        q.select({ model: t.price.model }).from(t.price).where(named(t, { model, provider })),
      );
      if (!isKnown && (yield* counted(({ price }) => [price])) >= most) return false;
      yield* run((q, { price: it }) =>
        q
          .insert(it)
          .values({ model, provider: provider ?? "", prices, changed })
          .onConflictDoUpdate({ target: [it.model, it.provider], set: { prices, changed } }),
      );
      return true;
    });
  }

  remove(row: Pick<PriceRow, "model" | "provider">, record: SerialisedRecord): Promise<boolean> {
    return this.db.change("prices", record, () =>
      anyRow((q, t) => q.delete(t.price).where(named(t, row)).returning({ model: t.price.model })),
    );
  }

  *every(): Steps<PriceRow[]> {
    return (yield* all(inOrder)).map(this.#checked);
  }

  readonly #checked = ({
    model,
    provider,
    prices,
  }: {
    model: string;
    provider: string;
    prices: unknown;
  }): PriceRow => ({
    model,
    provider: provider === "" ? null : provider,
    prices: this.#prices.read(prices, `price of ${model}`),
  });
}
