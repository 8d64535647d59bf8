import { Database } from "bun:sqlite";
import { afterEach, expect, test } from "bun:test";
import type { PageWindow } from "#core/page";
import type { Store } from "#store/port";
import { Place } from "#test/store/directory";
import { someRecord } from "#test/store/records";
import { type ConfigurationSize, seedConfiguration } from "#test/support/large-configuration";
import { verifies } from "#test/support/verifies";

const SOME: ConfigurationSize = {
  ...{ agents: 12, tokensPerAgent: 2, providers: 1, servers: 5, rules: 7, restrictions: 2, waiting: 6, usageHours: 0 },
};
const NOW = Date.UTC(2026, 10, 22, 12);
const DAY_MS = 86_400_000;
const FIRST: PageWindow = { after: null, limit: 3 };

const stores: Place[] = [];
afterEach(async () => {
  for (const place of stores.splice(0)) await place[Symbol.asyncDispose]();
});

const seeded = async () => {
  const place = new Place();
  stores.push(place);
  const store = await place.open();
  await store.policies.append(0, "{}", NOW, someRecord());
  const { users, agents } = await seedConfiguration(store, SOME, NOW);
  const [user, agent] = [users[3]?.id ?? "", agents[3]?.id ?? ""];
  return { place, store, user, agent };
};

type Read = (window: PageWindow) => Promise<readonly { readonly id: string }[]>;

/** Each list that people are shown, with each way it is filtered. */
const listsOf = (store: Store, user: string, agent: string): Readonly<Record<string, Read>> => ({
  users: (window) => store.users.page(window),
  "agents of all": (window) => store.agents.page(null, window),
  "agents by name or owner": (window) => store.agents.page(null, window, "e"),
  "users by name": (window) => store.users.page(window, "e"),
  "tool servers by slug": (window) => store.tools.page(null, window, "e"),
  "agents of one": (window) => store.agents.page(user, window),
  "tokens of all": (window) => store.tokens.page({ now: NOW }, window),
  "tokens of one": (window) => store.tokens.page({ user_id: user, now: NOW }, window),
  "tokens of an agent": (window) => store.tokens.page({ agent_id: agent, now: NOW }, window),
  "active tokens": (window) => store.tokens.page({ state: "active", now: NOW }, window),
  "expired tokens": (window) => store.tokens.page({ state: "expired", now: NOW }, window),
  "disabled tokens": (window) => store.tokens.page({ state: "disabled", now: NOW }, window),
  "tool servers of all": (window) => store.tools.page(null, window),
  reviews: (window) => store.reviews.page(["submitted", "in_review", "approved"], null, window),
  rules: (window) => store.tuning.page({}, window),
  "rules of an agent": (window) => store.tuning.page({ agent_id: agent }, window),
  suggestions: (window) => store.suggestions.page({ now: NOW }, window),
  "suggestions in states": (window) => store.suggestions.page({ states: ["proposed", "expired"], now: NOW }, window),
  "suggestions of an agent": (window) => store.suggestions.page({ agent_id: agent, now: NOW }, window),
  holds: (window) => store.holds.page({ now: NOW }, window),
  "expired holds": (window) => store.holds.page({ state: "expired", now: NOW + DAY_MS }, window),
  "denied holds": (window) => store.holds.page({ state: "denied", now: NOW }, window),
  "holds of one": (window) => store.holds.page({ user_id: user, now: NOW }, window),
  reports: (window) => store.reports.page({}, window),
  "reports in a state": (window) => store.reports.page({ statuses: ["needs_human"] }, window),
  "reports of one": (window) => store.reports.page({ user_id: user }, window),
  "reports of an agent": (window) => store.reports.page({ agent_id: agent }, window),
  jobs: (window) => store.jobs.page(window),
});

/** What SQLite says it would do for each statement that `work` asks for. */
const plansOf = async (db: Database, work: () => Promise<unknown>): Promise<string[]> => {
  const asked: string[] = [];
  const { prepare } = Database.prototype;
  Database.prototype.prepare = new Proxy(prepare, {
    apply(target, db, given) {
      asked.push(String(given[0]));
      return Reflect.apply(target, db, given);
    },
  });
  try {
    await work();
  } finally {
    Database.prototype.prepare = prepare;
  }
  return asked.flatMap((sql) =>
    db
      .query<{ detail: string }, []>(`EXPLAIN QUERY PLAN ${sql}`)
      .all()
      .map(({ detail }) => `${detail} << ${sql}`),
  );
};

/** Reads a table whole, or sorts what it has found: the work grows with the table and not with the page. */
const isWhole = (plan: string): boolean =>
  /TEMP B-TREE/.test(plan) || (/^SCAN (?!json_each|CONSTANT)/.test(plan) && !/^SCAN \S+ USING /.test(plan));

test("no list reads or sorts a whole table to give a page", async () => {
  verifies("lists.paged");
  const { place, store, user, agent } = await seeded();
  using db = new Database(place.database, { readonly: true });
  for (const [name, read] of Object.entries(listsOf(store, user, agent))) {
    const [last] = (await read(FIRST)).slice(-1);
    const plans = [
      ...(await plansOf(db, () => read(FIRST))),
      ...(await plansOf(db, () => read({ after: last?.id ?? Bun.randomUUIDv7(), limit: 3 }))),
    ];
    expect(plans.length, name).toBeGreaterThan(0);
    expect(plans.filter(isWhole), name).toEqual([]);
  }
});

test("names are looked up by their ids alone", async () => {
  verifies("lists.paged");
  const { place, store, user, agent } = await seeded();
  using db = new Database(place.database, { readonly: true });
  const plans = await plansOf(db, async () => {
    expect((await store.users.byIds([user, user, "none"])).map(({ id }) => id)).toEqual([user]);
    expect((await store.agents.byIds([agent])).map(({ id }) => id)).toEqual([agent]);
    expect(await store.tokens.usesOfAgents([agent])).toHaveLength(2);
    await store.users.ofRoles(["admin"]);
    await store.agents.named("AGENT-3");
    await store.tools.assignments({ agent_id: agent });
    await store.tokens.agentsWithTokenBefore(NOW, NOW);
  });
  expect(plans.length).toBeGreaterThanOrEqual(7);
  expect(plans.filter((plan) => !plan.includes("DISTINCT")).filter(isWhole)).toEqual([]);
  expect(await store.agents.named("AGENT-3")).toMatchObject([{ id: agent }]);
});

test("page after page gives all of a list once, newest first, wherever pages end", async () => {
  verifies("lists.whole");
  const { store, user, agent } = await seeded();
  for (const [name, read] of Object.entries(listsOf(store, user, agent))) {
    const whole = (await read({ after: null, limit: 1_000 })).map(({ id }) => id);
    for (const limit of [1, 2, 5]) {
      const pages: string[] = [];
      for (let after: string | null = null; ; after = pages.at(-1) ?? null) {
        const page = await read({ after, limit });
        pages.push(...page.map(({ id }) => id));
        if (page.length < limit) break;
      }
      expect(pages, `${name}, ${limit} a page`).toEqual(whole);
    }
  }
  expect((await listsOf(store, user, agent)["tokens of all"]?.({ after: null, limit: 99 }))?.length).toBe(24);
  expect((await listsOf(store, user, agent)["agents of one"]?.(FIRST))?.map(({ id }) => id)).toEqual([agent]);
});

test("lists show what the states of tokens are at that moment", async () => {
  verifies("lists.whole");
  const { store, agent } = await seeded();
  const [one, other] = await store.tokens.ofAgent(agent);
  await store.tokens.revoke(one?.id ?? "", someRecord());
  await store.tokens.rotate(
    other?.id ?? "",
    NOW + 10,
    { ...(other ?? fail()), id: Bun.randomUUIDv7(), hash: "x" },
    someRecord(),
  );
  const states = ["active", "disabled", "expired", "revoked", "rotated"] as const;
  const countsAt = (now: number) =>
    Promise.all(
      states.map(
        async (state) => (await store.tokens.page({ agent_id: agent, state, now }, { ...FIRST, limit: 9 })).length,
      ),
    );
  expect(await countsAt(NOW)).toEqual([1, 0, 0, 1, 1]);
  expect(await countsAt(NOW + 10)).toEqual([1, 0, 1, 1, 0]);
});

const fail = (): never => {
  throw new Error("the agent has fewer tokens than were made");
};
