import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { join } from "node:path";
import fc from "fast-check";
import type { AuditRecord, CallFacts } from "#model/audit";
import {
  CALL_FIELDS,
  CALL_ORDERS,
  type CallField,
  type CallFilter,
  type CallOrder,
  type CallScope,
  type FoundCalls,
  type Range,
  TRAFFIC_SPANS,
  type TrafficBucket,
  type TrafficSpan,
} from "#store/call-index-port";
import type { SqliteStore } from "#store/sqlite/index";
import { MIGRATIONS } from "#store/sqlite/migrations/index";
import { Place } from "#test/store/directory";
import { callRecord } from "#test/support/call-record";
import { verifies } from "#test/support/verifies";

const NAMES = ["one", "two"] as const;
const FLAGS = ["pii.email", "pii.card_number", "secret.key"] as const;
const ACTIONS = ["allow", "flag", "block"] as const;
const STATUSES = [200, 400, 429, 503] as const;
/** As a record has it: nothing, no price, or thousandths of dollars. */
type Cost = Pick<CallFacts, "cost_usd" | "cost_basis">;
const START = Date.UTC(2026, 5, 30, 23, 0, 0);
const HOUR = 3_600_000;
const DAY = 86_400_000;
/** Of a request's record too, for those cannot be found. */
const PHASES = ["final", "final", "final", "request"] as const;

type Call = {
  readonly kind: string;
  readonly phase: (typeof PHASES)[number];
  readonly agent: string | null;
  readonly user: string;
  readonly model: string;
  readonly conversation: string | null;
  readonly action: (typeof ACTIONS)[number];
  readonly flags: readonly string[];
  readonly status: (typeof STATUSES)[number];
  readonly ms: number;
  /** Null where nobody counted. */
  readonly tokens: number | null;
  readonly cost: Cost;
  /** Milliseconds after the start: over the end of a month, and not always in order. */
  readonly after: number;
};
const PLAIN = { status: 200, ms: 1, tokens: 1, cost: {} } as const;
type Step = { readonly by: number; readonly calls: readonly Call[]; readonly asks: number | null };

const CALL: fc.Arbitrary<Call> = fc.record({
  kind: fc.constantFrom("chat.completion", "messages.create", "embedding", "tool.call", "guard.scan"),
  phase: fc.constantFrom(...PHASES),
  agent: fc.option(fc.constantFrom(...NAMES)),
  user: fc.constantFrom(...NAMES),
  model: fc.constantFrom(...NAMES),
  conversation: fc.option(fc.constantFrom(...NAMES)),
  action: fc.constantFrom(...ACTIONS),
  flags: fc.subarray([...FLAGS]),
  status: fc.constantFrom(...STATUSES),
  // Some alike, and some that no 32-bit number is.
  ms: fc.oneof(fc.constantFrom(0, 5, 5.25, 16_777_217), fc.double({ min: 0, max: 100, noNaN: true })),
  tokens: fc.option(fc.nat(50)),
  cost: fc.oneof(
    fc.constantFrom<Cost>({}, { cost_usd: null, cost_basis: "unpriced" }),
    fc.record({ cost_usd: fc.nat(20).map((milli) => milli / 1_000), cost_basis: fc.constantFrom("usage", "estimate") }),
  ),
  after: fc.nat(2 * HOUR),
});
const STEP: fc.Arbitrary<Step> = fc.record({
  by: fc.nat(1),
  calls: fc.array(CALL, { maxLength: 30 }),
  asks: fc.option(fc.nat(1)),
});
const rangeOf = (number: fc.Arbitrary<number>): fc.Arbitrary<Range> =>
  fc.record({ min: number, max: number }, { requiredKeys: [] });
const FILTER: fc.Arbitrary<CallFilter> = fc.record(
  {
    category: fc.constantFrom("call", "other", "administration"),
    cost_basis: fc.constantFrom("usage", "unpriced"),
    status: rangeOf(fc.constantFrom(200, 400, 499)),
    ms: rangeOf(fc.oneof(fc.constantFrom(5, 5.25, 16_777_217), fc.nat(100))),
    tokens: rangeOf(fc.nat(50)),
    cost: rangeOf(fc.nat(20).map((milli) => milli * 1_000_000)),
    kind: fc.constantFrom("chat", "chat.completion", "tool", "model", "embedding"),
    decision: fc.constantFrom(...ACTIONS),
    user_id: fc.constantFrom(...NAMES),
    agent_id: fc.constantFrom(...NAMES),
    model: fc.constantFrom(...NAMES, "three"),
    conversation_id: fc.constantFrom(...NAMES),
    flag: fc.constantFrom("pii", ...FLAGS, "pii.em"),
    since: fc.nat(2 * HOUR).map((after) => START + after),
    until: fc.nat(2 * HOUR).map((after) => START + after),
  },
  { requiredKeys: [] },
);
const SCOPE: fc.Arbitrary<CallScope> = fc.option(
  fc.record({ user_id: fc.constantFrom(...NAMES), agent_ids: fc.subarray([...NAMES]) }),
);

const recordOf = ({ phase, after, conversation, action, flags, ...call }: Call, n: number): AuditRecord => {
  const { model, status, ms, tokens, cost, ...whose } = call;
  const found = flags.map((type) => ({
    ...{ type, score: 1, start: 0, end: 1, detector: type, action, param: "messages[0].content" },
    origin: "user" as const,
  }));
  const call_id = `call-${n}`;
  // Nothing but calls has these.
  const isCall = call.kind !== "guard.scan";
  const usage =
    tokens === null || !isCall ? null : { prompt_tokens: tokens, completion_tokens: 0, total_tokens: tokens };
  const facts = {
    ...{ model, action, conversation_id: conversation, flags: found, status, usage, ...(isCall && cost) },
    ms: { total: ms, guard: 0, upstream: 0 },
  };
  const outcome = phase === "request" ? "open" : "answered";
  return callRecord({ ...whose, id: `record-${n}`, call_id, phase, outcome, at: START + after, facts });
};

/** Whether a call is asked for, said a second time and in other words. */
const isAsked = ({ at, actor, kind, call }: AuditRecord, filter: CallFilter, scope: CallScope): boolean => {
  const moment = Date.parse(at);
  const same = (wanted: string | undefined, is: string | null | undefined) => wanted === undefined || wanted === is;
  const flags = call?.flags.map(({ type }) => type) ?? [];
  const isOwn = (of: NonNullable<CallScope>) =>
    actor.agent_id ? of.agent_ids.includes(actor.agent_id) : actor.user_id === of.user_id;
  const isModels = filter.kind === "model" && kind !== "tool.call" && kind !== "guard.scan";
  const within = (
    { min = 0, max = Number.POSITIVE_INFINITY }: Range = { min: -1 },
    number: number | null | undefined,
  ) => min === -1 || (number != null && number >= min && number <= max);
  const category = kind === "guard.scan" ? "other" : "call";
  return [
    filter.kind === undefined || kind === filter.kind || kind.startsWith(`${filter.kind}.`) || isModels,
    same(filter.decision, call?.action),
    same(filter.category, category),
    same(filter.cost_basis, call?.cost_basis),
    within(filter.status, call?.status),
    within(filter.ms, call?.ms.total),
    within(filter.tokens, call?.usage?.total_tokens),
    within(filter.cost, call?.cost_usd == null ? null : Math.round(call.cost_usd * 1e9)),
    same(filter.user_id, actor.user_id),
    same(filter.agent_id, actor.agent_id),
    same(filter.model, call?.model),
    same(filter.conversation_id, call?.conversation_id),
    filter.flag === undefined || flags.some((type) => type === filter.flag || type.startsWith(`${filter.flag}.`)),
    filter.since === undefined || moment >= filter.since,
    filter.until === undefined || moment < filter.until,
    scope === null || isOwn(scope),
  ].every((is) => is);
};

/** Until nothing is said to be missing: what was written in one go may take more than one question's patience. */
const upToDate = async (store: SqliteStore): Promise<void> => {
  let behind = Number.POSITIVE_INFINITY;
  while (behind > 0) {
    const left = (await store.calls.search({ filter: {}, scope: null, before: "1", limit: 1, patienceMs: 0 })).behind;
    expect(left).toBeLessThan(behind);
    behind = left;
  }
};

const ORDER: fc.Arbitrary<CallOrder> = fc.record({
  by: fc.constantFrom(...CALL_ORDERS),
  isAscending: fc.boolean(),
});

/** All pages of an answer, one after the other. */
const found = async (
  store: SqliteStore,
  filter: CallFilter,
  scope: CallScope,
  limit: number,
  order?: CallOrder,
): Promise<string[]> => {
  const ids: string[] = [];
  await upToDate(store);
  for (let before: string | null = null; ; ) {
    const page: FoundCalls = await store.calls.search({ filter, scope, order, before, limit, patienceMs: 1_000 });
    expect(page.behind).toBe(0);
    ids.push(...page.rows.map(({ body }): string => JSON.parse(body).call_id));
    if (page.next === null) return ids;
    before = page.next;
  }
};

const PATIENT = { patienceMs: 10_000 };
const NUMBERS: Readonly<Record<CallOrder["by"], (record: AuditRecord) => number | null | undefined>> = {
  at: ({ at }) => Date.parse(at),
  // As precise as the index has it.
  ms: ({ call }) => Math.fround(call?.ms.total ?? 0),
  tokens: ({ call }) => call?.usage?.total_tokens,
  cost: ({ call }) => call?.cost_usd,
};

/** In an order said a second time: calls without a number last, those alike newest first. */
const inOrder = (records: readonly AuditRecord[], { by, isAscending }: CallOrder): string[] => {
  const number = NUMBERS[by];
  const last = isAscending ? Number.POSITIVE_INFINITY : -1;
  return [...records]
    .map((record, n) => ({ record, n, key: number(record) ?? last }))
    .sort(
      (one, other) =>
        (one.key === other.key ? 0 : isAscending === one.key < other.key ? -1 : 1) ||
        Date.parse(other.record.at) - Date.parse(one.record.at) ||
        other.n - one.n,
    )
    .map(({ record }) => record.call_id);
};

const valuesOf = ({ kind, actor, call, outcome }: AuditRecord, by: CallField): readonly string[] => {
  if (by === "flag") {
    const types = call?.flags.map(({ type }) => type) ?? [];
    return [...new Set(types.flatMap((type) => [type.split(".", 1).join(), type]))];
  }
  const fields: Readonly<Record<Exclude<CallField, "flag">, unknown>> = {
    ...{ kind, outcome, decision: call?.action, status: call?.status, model: call?.model, tool: call?.tool?.name },
    ...{ agent_id: actor.agent_id, user_id: actor.user_id, token_id: actor.token_id },
    ...{ conversation_id: call?.conversation_id, cost_basis: call?.cost_basis },
  };
  return [fields[by]].flatMap((value) => (value == null ? [] : [String(value)]));
};

/** What calls come to, added up a second time. */
const summed = (records: readonly AuditRecord[]) => ({
  calls: records.length,
  tokens: records.reduce((sum, { call }) => sum + (call?.usage?.total_tokens ?? 0), 0),
  cost: Math.round(records.reduce((sum, { call }) => sum + (call?.cost_usd ?? 0) * 1e9, 0)),
});

/** Calls counted by each span, for a reader of a scope; null where what is counted by name does not add up. */
const counted = async (store: SqliteStore, scope: CallScope): Promise<(number | null)[]> =>
  Promise.all(
    TRAFFIC_SPANS.map(async (span) => {
      const asked = { span, since: START - DAY, until: START + 2 * DAY, scope } as const;
      const sums = await store.calls.traffic({ ...asked, detail: "sums" });
      const names = await store.calls.traffic({ ...asked, detail: "names" });
      const models = await store.calls.traffic({ ...asked, detail: "names", prefix: "model." });
      const calls = sumIn(sums, /^calls$/);
      const isSound = [sumIn(names, /^calls$/), sumIn(names, /^model\./), sumIn(models, /^model\./)];
      return isSound.every((sum) => sum === calls) && sumIn(models, /^scan\./) === 0 ? calls : null;
    }),
  );

type Counted = { readonly buckets: readonly TrafficBucket[] };
const sumIn = ({ buckets }: Counted, counter: RegExp): number =>
  buckets.reduce(
    (all, { counts }) => [...counts].reduce((sum, [name, by]) => (counter.test(name) ? sum + by : sum), all),
    0,
  );

/** Both stores write and are asked by turns: an index that the one filled is the other's too. */
const written = async (stores: readonly SqliteStore[], steps: readonly Step[]): Promise<AuditRecord[]> => {
  const records: AuditRecord[] = [];
  for (const { by, calls, asks } of steps) {
    const made = calls.map((call, n) => recordOf(call, records.length + n));
    await Promise.all(made.map((record) => stores[by]?.audit.append(JSON.stringify(record))));
    records.push(...made);
    if (asks !== null) await stores[asks]?.calls.byCall("call-0");
  }
  return records;
};

test("call index finds every record by its fields and counts it once", async () => {
  verifies("calls.found");
  verifies("overview.counted");
  const asked = fc.record({ filter: FILTER, scope: SCOPE, limit: fc.integer({ min: 1, max: 50 }) });
  const run = async (
    steps: readonly Step[],
    questions: readonly (typeof asked extends fc.Arbitrary<infer T> ? T : never)[],
  ) => {
    await using place = new Place();
    const one = await place.open({ writer: "worker" });
    const records = await written([one, await place.open()], steps);
    await one.close();
    const store = await place.open({ writer: "worker" });
    const finals = records.filter(({ phase }) => phase === "final");
    for (const { filter, scope, limit } of questions) {
      const ids = finals.filter((record) => isAsked(record, filter, scope)).map(({ call_id }) => call_id);
      expect(await found(store, filter, scope, limit)).toEqual(ids.reverse());
    }
    for (const { call_id } of finals.slice(0, 5)) {
      const row = await store.calls.byCall(call_id);
      expect(row && JSON.parse(row.body).call_id).toBe(call_id);
    }
    for (const { scope } of [{ scope: null }, ...questions]) {
      const calls = finals.filter((record) => isAsked(record, { category: "call" }, scope)).length;
      expect(await counted(store, scope)).toEqual([calls, calls, calls, calls]);
    }
  };
  const property = fc.asyncProperty(
    fc.array(STEP, { minLength: 1, maxLength: 8 }),
    fc.array(asked, { minLength: 1, maxLength: 6 }),
    run,
  );
  await fc.assert(property, { numRuns: 25 });
}, 120_000);

test("call index puts calls in the order of any number, adds them up and tells their values", async () => {
  verifies("calls.found", "calls.ordered", "calls.totals");
  const asked = fc.record({
    ...{ filter: FILTER, scope: SCOPE, order: ORDER, limit: fc.integer({ min: 1, max: 20 }) },
    by: fc.constantFrom(...CALL_FIELDS),
  });
  const property = fc.asyncProperty(
    fc.array(STEP, { minLength: 1, maxLength: 5 }),
    fc.array(asked, { minLength: 1, maxLength: 8 }),
    async (steps, questions) => {
      await using place = new Place();
      const store = await place.open({ writer: "worker" });
      const records = await written([store, store], steps);
      const finals = records.filter(({ phase }) => phase === "final");
      for (const { filter, scope, order, limit, by } of questions) {
        const wanted = finals.filter((record) => isAsked(record, filter, scope));
        expect(await found(store, filter, scope, limit, order)).toEqual(inOrder(wanted, order));
        const { sum, scannedUntil } = await store.calls.sums({ filter, scope, ...PATIENT });
        expect(scannedUntil).toBeNull();
        expect(sum).toMatchObject(summed(wanted));
        const { values } = await store.calls.values({ filter, scope, by, order: "calls", most: 100, ...PATIENT });
        const groups = new Map<string, AuditRecord[]>();
        for (const record of wanted)
          for (const value of valuesOf(record, by)) groups.set(value, [...(groups.get(value) ?? []), record]);
        const expected = Object.fromEntries([...groups].map(([value, group]) => [value, summed(group)]));
        const told = values.map(({ value, sum: { calls, tokens, cost } }) => [value, { calls, tokens, cost }]);
        expect(Object.fromEntries(told)).toEqual(expected);
      }
    },
  );
  await fc.assert(property, { numRuns: 25 });
}, 120_000);

test("more than a block of records is found, by pages of any size, and counted once", async () => {
  verifies("calls.found");
  await using place = new Place();
  const store = await place.open({ writer: "worker" });
  const call: Call = {
    kind: "chat.completion",
    phase: "final",
    agent: null,
    user: "one",
    model: "two",
    conversation: null,
    action: "allow",
    flags: [],
    ...PLAIN,
    after: 0,
  };
  const records = Array.from({ length: 5_000 }, (_, n) =>
    recordOf({ ...call, after: n, conversation: n % 1_700 === 3 ? "rare" : null }, n),
  );
  await Promise.all(records.map((record) => store.audit.append(JSON.stringify(record))));
  expect(await found(store, { conversation_id: "rare" }, null, 1)).toEqual(["call-3403", "call-1703", "call-3"]);
  expect(await found(store, {}, null, 170)).toEqual(records.map(({ call_id }) => call_id).reverse());
  const oldest = { by: "at", isAscending: true } as const;
  expect(await found(store, {}, null, 170, oldest)).toEqual(records.map(({ call_id }) => call_id));
  const { sum } = await store.calls.sums({ filter: {}, scope: null, ...PATIENT });
  expect(sum).toMatchObject({ calls: 5_000, tokens: 5_000 });
  expect(await counted(store, { user_id: "one", agent_ids: [] })).toEqual([5_000, 5_000, 5_000, 5_000]);
}, 120_000);

test("calls older than minutes are kept for are counted by hour and day only, and those of today by all", async () => {
  verifies("overview.counted");
  await using place = new Place();
  const store = await place.open();
  const call = {
    kind: "chat.completion",
    phase: "final",
    agent: "one",
    user: "two",
    model: "two",
    conversation: null,
    action: "allow",
    ...PLAIN,
  } as const;
  const records = [0, 19 * DAY, 25 * DAY, 28 * DAY].map((after, n) => recordOf({ ...call, flags: [], after }, n));
  for (const record of records) await store.audit.append(JSON.stringify(record));
  await upToDate(store);
  const calls = async (span: TrafficSpan, scope: CallScope) => {
    const asked = { span, since: START - DAY, until: START + 29 * DAY, scope, detail: "sums" } as const;
    const { buckets } = await store.calls.traffic(asked);
    return buckets.map(({ counts }) => counts.get("calls"));
  };
  for (const scope of [null, { user_id: "nobody", agent_ids: ["one"] }]) {
    expect(await calls(60_000, scope)).toEqual([1]);
    expect(await calls(900_000, scope)).toEqual([1, 1]);
    expect(await calls(HOUR, scope)).toEqual([1, 1, 1, 1]);
    expect(await calls(DAY, scope)).toEqual([1, 1, 1, 1]);
  }
});

test("a call is found by its id however long it lasted, and an id that no call has finds none", async () => {
  verifies("calls.found");
  await using place = new Place();
  const store = await place.open();
  const lasted = [0, 30 * 60_000, 5 * HOUR, 20 * 24 * HOUR];
  const calls = lasted.map((ms, n) => {
    const began = START + n * 1_000;
    const facts = { conversation_id: `conversation-${n}` };
    return callRecord({ id: `record-${n}`, call_id: Bun.randomUUIDv7("hex", began), at: began + ms, facts });
  });
  for (const record of calls.toSorted((one, other) => Date.parse(one.at) - Date.parse(other.at))) {
    await store.audit.append(JSON.stringify(record));
  }
  await upToDate(store);
  for (const { id, call_id } of calls) {
    const row = await store.calls.byCall(call_id);
    expect(row && JSON.parse(row.body).id).toBe(id);
  }
  expect(await store.calls.byCall(Bun.randomUUIDv7("hex", START))).toBeNull();
  expect(await store.calls.byCall(crypto.randomUUID())).toBeNull();
});

/** Counters as they were before days were counted and sums kept apart: the hub's migration has to make both. */
const withoutDays = (db: Database): void => {
  db.run("DELETE FROM call_traffic WHERE span = 86400000");
  type Row = { readonly rowid: number; readonly counts: string; readonly names: string };
  const put = db.query<unknown, [string, number]>("UPDATE call_traffic SET counts = ? WHERE rowid = ?");
  for (const { rowid, counts, names } of db.query<Row, []>("SELECT rowid, counts, names FROM call_traffic").all())
    put.run(JSON.stringify([...JSON.parse(counts), ...JSON.parse(names)]), rowid);
  db.run("ALTER TABLE call_traffic DROP COLUMN names");
};

/** The last version of the main database whose index of calls had no columns. */
const BEFORE_COLUMNS = 33;

/** What later steps of the main database have made, taken back: tables, and columns of others. */
const withoutLater = (db: Database): void => {
  const has = (table: string): boolean =>
    db.query("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?").get(table) !== null;
  // The log of a node has its tree, and nothing else of it.
  if (!has("agent")) {
    for (const table of ["audit_tree", "audit_tile", "audit_tree_head"]) db.run(`DROP TABLE ${table}`);
    return;
  }
  for (const sql of MIGRATIONS.slice(BEFORE_COLUMNS).toReversed()) {
    // One that took another's name and its place is of before: further columns do its reader no harm.
    const renamed = new Set([...sql.matchAll(/^ALTER TABLE (\w+) RENAME TO/gm)].map(([, table]) => table));
    for (const [, table = ""] of sql.matchAll(/^CREATE TABLE (\w+)/gm)) {
      if (!table.startsWith("call_") && !renamed.has(table)) db.run(`DROP TABLE ${table}`);
    }
    for (const [, subject = ""] of sql.matchAll(/^INSERT INTO revision .*VALUES \('(\w+)'/gm))
      db.run("DELETE FROM revision WHERE subject = ?", [subject]);
    for (const [, table = "", column = ""] of sql.matchAll(/^ALTER TABLE (\w+) ADD COLUMN (\w+)/gm)) {
      if (!table.startsWith("call_")) db.run(`ALTER TABLE ${table} DROP COLUMN ${column}`);
    }
  }
};

/** As a log was before its index was kept by column: of the main database, or of a node. */
const withoutColumns = (file: string, version: number): void => {
  const db = new Database(file, { strict: true });
  // What wrote to it may still be closing.
  db.run("PRAGMA busy_timeout = 10000");
  withoutDays(db);
  withoutLater(db);
  db.run("DROP TABLE call_column");
  db.run("DROP TABLE call_block");
  db.run("CREATE TABLE call_block (first_seq INTEGER PRIMARY KEY, seq BLOB NOT NULL) STRICT");
  db.run("ALTER TABLE call_indexed DROP COLUMN counted");
  db.run(`PRAGMA user_version = ${version}`);
  db.close();
};

test("an index of before is made again from the log, also of a node that is gone, and no call counts twice", async () => {
  verifies("calls.found", "overview.counted");
  await using place = new Place();
  const node = { id: "w-1", version: "test", leaseMs: 600_000, isAlone: false };
  const records = Array.from({ length: 1_500 }, (_, n) =>
    callRecord({ id: `record-${n}`, call_id: `call-${n}`, at: START + n, agent: null, user: "one" }),
  );
  const [first, worker] = [await place.open({ writer: "worker" }), await place.open({ writer: "worker", node })];
  await Promise.all(records.slice(0, 1_100).map((record) => first.audit.append(JSON.stringify(record))));
  await Promise.all(records.slice(1_100).map((record) => worker.audit.append(JSON.stringify(record))));
  await upToDate(first);
  for (const store of [first, worker]) await store.close();
  withoutColumns(place.database, BEFORE_COLUMNS);
  withoutColumns(join(place.path, "audit", "w-1.db"), 1_000);
  const store = await place.open({ writer: "worker" });
  expect(await found(store, {}, null, 200)).toEqual(records.map(({ call_id }) => call_id).reverse());
  const all = records.length;
  expect(await counted(store, { user_id: "one", agent_ids: [] })).toEqual([all, all, all, all]);
  const more = callRecord({ id: "record-more", call_id: "call-more", at: START + all, agent: null, user: "one" });
  await store.audit.append(JSON.stringify(more));
  await upToDate(store);
  expect(await counted(store, { user_id: "one", agent_ids: [] })).toEqual([all + 1, all + 1, all + 1, all + 1]);
});
