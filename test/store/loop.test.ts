import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { join } from "node:path";
import fc from "fast-check";
import type { Opened } from "#store/loop-port";
import type { SqliteStore } from "#store/sqlite/index";
import { failure } from "#test/store/contract";
import { Place } from "#test/store/directory";
import { APPROVED, DELIVER, DELIVERY, REPORT, RULE, WEBHOOK, withPolicy } from "#test/store/looped";
import { someRecord } from "#test/store/records";
import { verifies } from "#test/support/verifies";

type Posted = {
  readonly user: "u1" | "u2";
  readonly event: number | null;
  readonly direction: "false_positive" | "false_negative";
  readonly wait: number;
  readonly by: number;
};

const posted: fc.Arbitrary<Posted> = fc.record({
  user: fc.constantFrom("u1", "u2"),
  event: fc.option(fc.nat(6)),
  direction: fc.constantFrom("false_positive", "false_negative"),
  // Two clocks may disagree: a report can be older than the one before it.
  wait: fc.integer({ min: -3, max: 40 }),
  by: fc.nat(1),
});

const HOUR = 100;
const MAX_TRIES = 5;

/** Who was accepted when, the simplest way. */
class Model {
  readonly accepted: { readonly user: string; readonly at: number; readonly same: string | null }[] = [];

  post({ user, event, direction }: Posted, at: number): Opened["kind"] {
    const same = event === null ? null : `${user} ${event} ${direction}`;
    if (same !== null && this.accepted.some((it) => it.same === same)) return "known";
    if (this.within(user, at - HOUR).length >= MAX_TRIES) return "over_limit";
    this.accepted.push({ user, at, same });
    return "created";
  }

  within(user: string, since: number): number[] {
    const times = this.accepted.filter((it) => it.user === user && it.at > since).map(({ at }) => at);
    return times.sort((a, b) => a - b);
  }
}

test("whatever is posted in whatever order to two stores, the rolling window is counted exactly", async () => {
  verifies("reports.limit", "reports.same-once");
  await using place = new Place();
  const stores: readonly SqliteStore[] = [await place.open(), await place.open()];
  await withPolicy(stores[0] ?? (await place.open()));
  let runs = 0;
  const run = async (posts: readonly Posted[]) => {
    const model = new Model();
    const start = ++runs * 1_000_000;
    let at = start;
    for (const [n, post] of posts.entries()) {
      at += post.wait;
      const event_id = post.event === null ? null : `${runs} ${post.event}`;
      const said = { event_id, direction: post.direction, user_id: post.user, created_at: at };
      const report = { ...REPORT, ...said, id: `${runs} ${n}` };
      const limit = { most: MAX_TRIES, since: at - HOUR };
      const opened = await stores[post.by]?.reports.open(report, limit, null, someRecord());
      expect(opened?.kind).toBe(model.post(post, at));
      expect(await stores[0]?.reports.recent(post.user, at - HOUR)).toEqual(model.within(post.user, at - HOUR));
      // There is room at the moment that is named, and none before.
      if (opened?.kind === "over_limit") {
        expect(model.within(post.user, opened.until - HOUR).length).toBeLessThan(MAX_TRIES);
        expect(model.within(post.user, opened.until - HOUR - 1).length).toBeGreaterThanOrEqual(MAX_TRIES);
      }
    }
    for (const { user, at: end } of model.accepted) {
      expect(model.within(user, end - HOUR).filter((time) => time <= end).length).toBeLessThanOrEqual(MAX_TRIES);
    }
  };
  await fc.assert(fc.asyncProperty(fc.array(posted, { maxLength: 25 }), run), { numRuns: 60 });
}, 120_000);

const CHILD = join(import.meta.dir, "children", "report.ts");

const lineOf = async (lines: AsyncIterator<string>): Promise<string> => {
  const { value } = await lines.next();
  return value ?? "";
};

async function* linesOf(stream: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<string> {
  let rest = "";
  for await (const piece of stream.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + piece).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
}

test("processes share one limit, apply a suggestion once, and do no job twice", async () => {
  verifies("reports.limit", "loop.apply-once", "loop.job-lease", "loop.idempotency");
  await using place = new Place();
  const store = await place.open();
  await withPolicy(store);
  await store.suggestions.create(APPROVED, someRecord());
  const children = ["a", "b", "c"].map((name) =>
    Bun.spawn([process.execPath, CHILD, place.path, name, "50"], { stdin: "pipe", stdout: "pipe", stderr: "inherit" }),
  );
  const outputs = children.map((child) => linesOf(child.stdout));
  for (const output of outputs) expect(await lineOf(output)).toBe("ready");
  for (const child of children) {
    child.stdin.write("go\n");
    child.stdin.end();
  }
  const results = await Promise.all(outputs.map(async (output) => JSON.parse(await lineOf(output))));
  expect(await Promise.all(children.map((child) => child.exited))).toEqual([0, 0, 0]);
  expect(results.reduce((sum, { created }) => sum + created, 0)).toBe(5);
  expect(results.filter(({ applied }) => applied)).toHaveLength(1);
  expect(results.filter(({ claim }) => claim === "fresh")).toHaveLength(1);
  const leased: string[] = results.flatMap((result) => result.leased);
  expect(leased).toHaveLength(5);
  expect(new Set(leased).size).toBe(5);
  expect(await store.reports.list({})).toHaveLength(5);
  expect(await store.policies.latest()).toMatchObject({ revision: 2 });
  expect(await store.audit.verify()).toMatchObject({ ok: true });
}, 120_000);

const damages = {
  "UPDATE report SET flag_types = '{}'": "flag types of report rep1",
  'UPDATE suggestion SET "match" = json_set("match", \'$.extra\', 1)': "match of suggestion sug1",
  "UPDATE suggestion SET change = json_set(change, '$.op', 'all')": "change of suggestion sug1",
  "UPDATE suggestion SET impact = json_remove(impact, '$.would_release_confirmed')": "impact of suggestion sug1",
  "UPDATE suggestion SET approvals = '[{}]'": "approvals of suggestion sug1",
  "UPDATE suggestion SET eligible = 'null'": "eligible approvers of suggestion sug1",
  "UPDATE suggestion SET rejected = '1'": "rejection of suggestion sug1",
  "UPDATE suggestion SET report_ids = '[1]'": "reports of suggestion sug1",
  'UPDATE tuning_rule SET "match" = json_remove("match", \'$.types\')': "match of tuning rule rule1",
  'UPDATE tuning_rule SET "match" = json_remove("match", \'$.value.hash\')': "match of tuning rule rule1",
  'UPDATE tuning_rule SET change = \'{"op":"threshold","action":"allow","from":null,"to":0.5}\'':
    "change of tuning rule rule1",
  "UPDATE tuning_rule SET approved_by = '\"u2\"'": "approvers of tuning rule rule1",
  "UPDATE webhook SET events = '7'": "events of webhook w1",
  "UPDATE webhook SET sealed_secrets = '[null]'": "secrets of webhook w1",
  "UPDATE webhook_delivery SET attempts = '[{\"at\":1}]'": "attempts of delivery d1",
};

test.each(Object.entries(damages))("damaged stored JSON is refused by name: %s", async (damage, what) => {
  verifies("loop.damage-refused");
  await using place = new Place();
  const store = await place.open();
  await withPolicy(store);
  await store.reports.open(REPORT, { most: 5, since: 0 }, null, someRecord());
  await store.suggestions.create(APPROVED, someRecord());
  await store.tuning.apply(RULE, null, 1, () => someRecord());
  await store.webhooks.create(WEBHOOK, someRecord());
  await store.webhooks.queue(DELIVERY, DELIVER);
  const readings = async () => {
    await store.reports.byId("rep1");
    await store.suggestions.byId("sug1");
    await store.changes.changesSince(0);
    await store.webhooks.list();
    await store.webhooks.delivery("d1");
  };
  expect(await failure(readings())).toBeNull();
  using db = new Database(place.database);
  expect(db.run(damage).changes).toBe(1);
  expect((await failure(readings()))?.message).toContain(what);
});
