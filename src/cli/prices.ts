import { CLI_ACTOR } from "#model/change";
import { type PriceRow, type PriceSaid, TOKEN_KINDS, type TokenKind } from "#model/price";
import type { Arguments } from "./arguments";
import { EXIT, usage } from "./exit";
import { card } from "./output";
import { changing, reading } from "./session";
import type { Invocation, RunVerb } from "./verb";

type Shown = PriceSaid & { readonly model: string; readonly provider: string | null };

const flagOf = (kind: TokenKind): string => kind.replaceAll("_", "-");

const priceIn = (args: Arguments, kind: TokenKind): number | undefined => {
  const text = args.text(flagOf(kind));
  if (text === undefined) return undefined;
  if (!/^\d{1,6}(\.\d{1,6})?$/.test(text)) {
    throw usage(`--${flagOf(kind)}: dollars a million tokens with six decimals at most, got "${text}"`);
  }
  return Number(text);
};

const rowIn = (args: Arguments): PriceRow => {
  const given = TOKEN_KINDS.flatMap((kind) => {
    const price = priceIn(args, kind);
    return price === undefined ? [] : [[kind, price] as const];
  });
  const needed = (kind: TokenKind): number => {
    args.need(flagOf(kind));
    return priceIn(args, kind) ?? 0;
  };
  const prices = { ...Object.fromEntries(given), input: needed("input"), output: needed("output") };
  return { model: args.needOperand(0), provider: args.text("provider") ?? null, prices };
};

const cardOf = ({ model, provider, ...prices }: Shown): string =>
  card({
    model,
    provider: provider ?? "all",
    ...Object.fromEntries(
      TOKEN_KINDS.flatMap((kind) => (prices[kind] === undefined ? [] : [[kind, String(prices[kind])] as const])),
    ),
  });

const HEADINGS = ["INPUT", "CACHED", "CACHE WRITE", "OUTPUT", "REASONING"];
const COLUMNS: readonly TokenKind[] = ["input", "cached_input", "cache_write", "output", "reasoning"];

const columnsOf = (prices: Partial<PriceSaid> | null): string[] => COLUMNS.map((kind) => String(prices?.[kind] ?? "-"));

export const listPrices: RunVerb = async (invocation) => {
  const model = invocation.args.text("model");
  if (model !== undefined) return listModel(invocation, model);
  const all = await reading(invocation, ({ parts }) => parts.priceService.list());
  const rows = all.map((row) => [row.model, row.provider ?? "all", row.source, ...columnsOf(row)]);
  await invocation.out.result(
    all,
    rows.length === 0
      ? "No prices are set: those of the executable count. See one with --model MODEL."
      : invocation.out.table(["MODEL", "PROVIDER", "SOURCE", ...HEADINGS], rows),
  );
  return EXIT.ok;
};

/** As a hub with these settings would have it. */
const listModel = async (invocation: Invocation, model: string): Promise<number> => {
  const found = await reading(invocation, async ({ inputs, store }) => {
    const [{ commandParts }, { pricesOfModel }, { routedTo }] = await Promise.all([
      import("#app"),
      import("#features/money/price-service"),
      import("./price-routes"),
    ]);
    const { priceBook } = commandParts({ ...inputs, builtIn: [] });
    const changes = await store.changes.changesSince(0);
    priceBook.apply(changes);
    return pricesOfModel({ priceBook, dispatcher: routedTo(changes.providers ?? []) })(model);
  });
  const rows = found.map((one) => [one.provider, one.model, one.source, ...columnsOf(one.prices)]);
  const headings = ["PROVIDER", "MODEL", "SOURCE", ...HEADINGS];
  await invocation.out.result(
    found,
    rows.length === 0 ? "No provider serves this model." : invocation.out.table(headings, rows),
  );
  return EXIT.ok;
};

export const setPrice: RunVerb = async (invocation) => {
  const row = rowIn(invocation.args);
  const set = await changing(invocation, ({ parts }) => parts.priceService.set(CLI_ACTOR, row));
  await invocation.out.result(set, cardOf(set));
  return EXIT.ok;
};

export const removePrice: RunVerb = async (invocation) => {
  const { args, out } = invocation;
  const row = { model: args.needOperand(0), provider: args.text("provider") ?? null };
  const removed = await changing(invocation, ({ parts }) => parts.priceService.remove(CLI_ACTOR, row));
  await out.result({ ...removed, removed: true }, `Removed the price of ${row.model}.`);
  return EXIT.ok;
};
