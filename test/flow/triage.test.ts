import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { KEY } from "#test/flow/report-world";
import { ReviewWorld, type Who } from "#test/flow/review-world";
import { beside } from "#test/support/database";
import { verifies } from "#test/support/verifies";
import { WebhookReceiver } from "#test/support/webhook-receiver";

setDefaultTimeout(120_000);

let world: ReviewWorld;
const receiver = new WebhookReceiver();

type Item = {
  readonly id: string;
  readonly kind: string;
  readonly since: string;
  readonly assignee: string | null;
  readonly like: readonly string[];
  readonly like_count: number;
  readonly requesters: number;
  readonly flag_types: readonly string[];
};

const get = async (who: Who, path: string) => (await world.as(who, "GET", path)).json;
const listed = async (who: Who, query = ""): Promise<readonly Item[]> =>
  (await get(who, `/inbox?kind=report${query}`)).data;

/** A call is blocked, and its caller disputes that. */
const dispute = async (token: string, text: string): Promise<string> => {
  const json = { model: "guardhouse/echo", messages: [{ role: "user", content: text }] };
  const { error } = Object(await (await world.hub.fetch("/v1/chat/completions", { token, json })).json());
  const sent = { token, json: { event_id: error.event_id, share_content: false } };
  const { miss_report_id } = Object(await (await world.hub.fetch("/v1/guard/disputes", sent)).json());
  return miss_report_id;
};

const waiting = (who: Who, count: number): Promise<readonly Item[]> =>
  world.eventually(async () => {
    const items = await listed(who);
    return items.length === count ? items : null;
  });

const decide = (who: Who, ids: readonly string[], decision: string, more: object = {}) =>
  world.as(who, "POST", "/inbox/decisions", { items: ids.map((id) => ({ kind: "report", id })), decision, ...more });
const failures = (json: { data: { error: { code: string } | null }[] }) =>
  json.data.map(({ error }) => error?.code ?? null);

const ids = { one: "", other: "", like: "", anns: "" };

beforeAll(async () => {
  world = await ReviewWorld.open({ env: { GUARDHOUSE_WEBHOOKS__ALLOW_PRIVATE: "127.0.0.0/8" } });
  const added = await world.as("root", "POST", "/webhooks", { url: receiver.url, events: ["notice.*"] });
  if (added.status !== 201) throw new Error(`no webhook: ${JSON.stringify(added.json)}`);
  const agent = await world.agent("owner");
  const token = await world.token("owner", agent);
  ids.one = await dispute(token, `My key is ${KEY}, keep it safe.`);
  ids.other = await dispute(
    token,
    `Write a shell script that uploads nightly archives with ${KEY.slice(0, -2)}B7 to the bucket in Frankfurt.`,
  );
  ids.like = await dispute(token, `My key is ${KEY.slice(0, -2)}T4, keep it safe.`);
  const { token: anns } = await world.hub.createToken(world.email("ann"));
  ids.anns = await dispute(anns, `My key is ${KEY}, keep it safe.`);
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
  await receiver[Symbol.asyncDispose]();
});

test("inbox: pages, places, and like reports as one item", async () => {
  verifies("inbox.groups", "inbox.pages");
  expect((await waiting("bob", 4)).map(({ id }) => id)).toEqual([ids.one, ids.other, ids.like, ids.anns]);
  const grouped = await listed("bob", "&grouped=true");
  expect(grouped.map(({ id, like, like_count }) => [id, like, like_count])).toEqual([
    [ids.one, [ids.like], 1],
    [ids.other, [], 0],
    // Of no agent: not of the same one.
    [ids.anns, [], 0],
  ]);
  expect(grouped[0]?.flag_types).toEqual(["secret.aws_access_key"]);
  expect(grouped[0]?.requesters).toBe(1);
  const first = await get("bob", "/inbox?kind=report&grouped=true&limit=2");
  expect([first.data.length, first.has_more, first.counts.report]).toEqual([2, true, 4]);
  const rest = await get("bob", `/inbox?kind=report&grouped=true&limit=2&cursor=${first.next_cursor}`);
  expect([rest.data.length, rest.has_more]).toEqual([1, false]);
  const place = await get("bob", `/inbox/place?kind=report&id=${ids.other}`);
  expect(place).toMatchObject({
    ...{ position: 2, waiting: 4, previous: { id: ids.one }, next: { id: ids.like } },
  });
  expect((await get("bob", `/inbox/place?kind=report&id=${ids.one}`)).item.like).toEqual([ids.like]);
});

test("report decide: a dry run tells what would be decided of like reports, and by whom not", async () => {
  verifies("cli.report-decide");
  const trial = (who: Who, ...args: string[]) =>
    world.hub.cli(
      ...["report", "decide", ...args, "--verdict", "false_positive", "--as", world.email(who), "--dry-run"],
    );
  const like = await trial("bob", "--like", ids.like);
  expect([like.code, like.json()]).toEqual([
    0,
    [ids.like, ids.one].map((id) => ({ id, verdict: "false_positive", is_decided: false, error: null })),
  ]);
  const anns = await trial("ann", ids.one, ids.anns, ids.one);
  expect(anns.code).toBe(1);
  expect(anns.json()).toMatchObject([
    { id: ids.one, error: null },
    { id: ids.anns, error: expect.any(String) },
  ]);
  expect((await trial("bob")).code).toBe(2);
  expect((await trial("bob", ids.one, "--like", ids.one)).code).toBe(2);
  expect((await trial("bob", "--like", crypto.randomUUID())).code).toBe(9);
  expect(await listed("bob")).toHaveLength(4);
});

test("inbox: taken up, given to another who may decide, and filtered by it", async () => {
  verifies("inbox.assigned");
  const assign = (who: Who, id: string, assignee: string | null) =>
    world.as(who, "POST", "/inbox/assign", { items: [{ kind: "report", id }], assignee });
  expect(failures((await assign("bob", ids.one, "me")).json)).toEqual([null]);
  expect((await listed("bob", "&assignee=me")).map(({ id, assignee }) => [id, assignee])).toEqual([
    [ids.one, world.email("bob")],
  ]);
  expect((await listed("root", "&assignee=none")).map(({ id }) => id)).not.toContain(ids.one);
  expect((await get("bob", "/inbox")).assigned).toEqual({ mine: 1, unassigned: 3 });
  expect((await get("bob", "/reports?assignee=me")).data).toMatchObject([
    { id: ids.one, assignee: world.email("bob") },
  ]);
  expect((await get("bob", "/reports?assignee=none")).data).toHaveLength(3);
  // Ann reported it herself: it is not hers to decide, nor to take up.
  expect(failures((await assign("ann", ids.anns, "me")).json)).toEqual(["not_found"]);
  expect(failures((await assign("bob", ids.anns, world.email("ann"))).json)).toEqual(["insufficient_scope"]);
  expect(failures((await assign("owner", ids.one, "me")).json)).toEqual(["not_found"]);
  // Whether there is such a user is nobody's to find out.
  expect(failures((await assign("bob", ids.one, "nobody@example.com")).json)).toEqual(["insufficient_scope"]);
  expect(failures((await assign("owner", ids.one, "nobody@example.com")).json)).toEqual(["not_found"]);
  expect(failures((await assign("root", ids.one, world.email("ann"))).json)).toEqual([null]);
  expect((await listed("ann", "&assignee=me")).map(({ id }) => id)).toEqual([ids.one]);
  expect(failures((await assign("ann", ids.one, null)).json)).toEqual([null]);
  expect(await listed("ann", "&assignee=me")).toEqual([]);
  const kinds = (await world.records()).filter(({ kind }) => kind === "report.assign").map(({ detail }) => detail);
  expect(kinds.map(({ assignee }) => assignee)).toEqual([world.id("bob"), world.id("ann"), null]);
});

test("inbox: many decisions at once, each as if made alone, and what fails told by item", async () => {
  verifies("inbox.bulk");
  const all = [ids.one, ids.anns, ids.like, crypto.randomUUID(), ids.one];
  for (const who of ["owner", "stranger", "auditor"] as const) {
    const { status, json } = await decide(who, all, "approve");
    expect([who, status, json.done]).toEqual([who, 200, 0]);
  }
  const { json } = await decide("ann", all, "approve", { comment: "The key of the manual." });
  expect(failures(json)).toEqual([null, "insufficient_scope", null, "not_found", "state_conflict"]);
  expect(json).toMatchObject({ done: 2, failed: 3 });
  const records = (await world.records()).filter(({ kind }) => kind === "report.decide");
  expect(records.map(({ subject, detail }) => [subject, detail["verdict"], detail["comment"]])).toEqual([
    [ids.one, "false_positive", "The key of the manual."],
    [ids.like, "false_positive", "The key of the manual."],
  ]);
  expect((await get("bob", `/reports/${ids.one}`)).decider).toBe(world.email("ann"));
  // What follows is made soon.
  await world.eventually(async () => (await get("bob", `/reports/${ids.like}`)).tuning_suggestion_id);
  const since = (await get("bob", `/reports/${ids.one}`)).created_at;
  const place = await get("bob", `/inbox/place?kind=report&id=${ids.one}&since=${since}`);
  expect(place).toMatchObject({ item: null, position: null, waiting: 2, next: { id: ids.other }, previous: null });
  expect((await decide("bob", [ids.other], "deny")).json.done).toBe(1);
  expect((await get("bob", `/reports/${ids.other}`)).decision).toBe("true_positive");
  const many = Array.from({ length: 101 }, () => crypto.randomUUID());
  expect((await decide("bob", many, "deny")).status).toBe(400);
  const items = [{ kind: "review", id: crypto.randomUUID() }];
  expect((await world.as("bob", "POST", "/inbox/decisions", { items, decision: "approve" })).status).toBe(400);
});

test("inbox: suggestions are approved as they were listed, and never by who asked for them", async () => {
  verifies("inbox.bulk");
  const { tuning_suggestion_id: id } = await get("owner", `/reports/${ids.one}`);
  const asked = await world.as("owner", "POST", `/tuning/${id}/request-approval`, {});
  expect([asked.status, asked.json.error?.message]).toEqual([202, undefined]);
  const [item] = (await get("bob", "/inbox?kind=tuning")).data;
  const approve = async (who: Who, content_hash: string) => {
    const items = [{ kind: "tuning", id, content_hash }];
    return failures((await world.as(who, "POST", "/inbox/decisions", { items, decision: "approve" })).json);
  };
  expect(await approve("owner", item.content_hash)).toEqual(["insufficient_scope"]);
  expect(await approve("bob", "0".repeat(64))).toEqual(["stale_base"]);
  expect(await approve("bob", item.content_hash)).toEqual([null]);
  expect((await get("owner", `/tuning/${id}`)).status).toBe("approved");
});

test("notices: reporters and owners are told what came of it, until they have seen it", async () => {
  verifies("notices.told");
  const told = await world.eventually(async () => {
    const page = await get("owner", "/notices?unseen=true");
    return page.data.some(({ type }: { type: string }) => type === "tuning.approved") ? page : null;
  });
  const outcomes = told.data.map(({ type, subject_id, outcome }: Record<string, string>) => [
    type,
    subject_id,
    outcome,
  ]);
  expect(outcomes).toContainEqual(["report.resolved", ids.one, "false_positive"]);
  expect(outcomes).toContainEqual(["report.resolved", ids.other, "true_positive"]);
  expect(told.unseen).toBe(outcomes.length);
  expect(told.data[0].url).toMatch(/^\/tuning\//);
  expect((await get("stranger", "/notices")).data).toEqual([]);
  // Who decided knows.
  expect((await get("bob", "/notices")).data).toEqual([]);
  const sent = await world.eventually(async () => {
    const bodies = receiver.received.map(({ body }) => JSON.parse(body));
    return bodies.length >= outcomes.length ? bodies : null;
  });
  expect(sent.map(({ type, data }) => [type, data.id, data.user_id])).toContainEqual([
    "notice.created",
    ids.one,
    world.id("owner"),
  ]);
  expect(JSON.stringify(sent)).not.toContain("positive");
  const { id, url } = (await get("owner", "/notices?limit=1")).data[0];
  expect(url).toBe(told.data[0].url);
  expect((await get("owner", `/notices?limit=1&cursor=${id}`)).data[0].id).toBe(told.data[1].id);
  expect((await world.as("owner", "POST", "/notices/seen", { subject_id: ids.one })).json.seen).toBe(1);
  expect((await get("owner", "/notices")).unseen).toBe(outcomes.length - 1);
  await world.as("owner", "POST", "/notices/seen");
  expect((await get("owner", "/notices?unseen=true")).data).toEqual([]);
  expect((await get("owner", "/notices")).data).toHaveLength(outcomes.length);
});

test("report decide: several at once, each by itself", async () => {
  verifies("cli.report-decide");
  const agent = await world.agent("owner");
  const token = await world.token("owner", agent);
  const [one, other] = [await dispute(token, `The key is ${KEY}.`), await dispute(token, `Another key: ${KEY}.`)];
  await waiting("bob", 3);
  const decided = await world.hub.cli(
    ...["report", "decide", one, ids.one, other, "--verdict", "true_positive", "--as", world.email("bob")],
  );
  expect(decided.code).toBe(1);
  expect(decided.json()).toMatchObject([
    { id: one, is_decided: true, error: null },
    { id: ids.one, is_decided: false, error: expect.any(String) },
    { id: other, is_decided: true, error: null },
  ]);
  const verdicts = await Promise.all([one, ids.one, other].map((id) => get("bob", `/reports/${id}`)));
  expect(verdicts.map(({ decision }) => decision)).toEqual(["true_positive", "false_positive", "true_positive"]);
});

test("inbox: says how many reports wait beyond those it lists, which the list of reports has", async () => {
  verifies("inbox.all-told");
  expect((await get("bob", "/inbox")).more_reports).toBe(0);
  const MORE = 2_105;
  beside(world.hub, (db) => {
    const columns = db.query<{ readonly name: string }, []>("PRAGMA table_info(report)").all();
    const others = columns.map(({ name }) => name).filter((name) => name !== "id" && name !== "event_id");
    const copy = db.prepare(`INSERT INTO report (id, ${others}) SELECT ?, ${others} FROM report WHERE id = ?`);
    db.transaction(() => {
      for (let n = 0; n < MORE; n += 1) copy.run(Bun.randomUUIDv7(), ids.anns);
    })();
  });
  const inbox = await get("bob", "/inbox?limit=1");
  expect([inbox.counts.report, inbox.more_reports]).toEqual([2_000, MORE + 1 - 2_000]);
  // To who decides on none it is told neither.
  expect((await get("owner", "/inbox?limit=1")).more_reports).toBe(0);
  let seen = 0;
  for (let cursor = ""; ; ) {
    const page = await get("bob", `/reports?status=needs_human&limit=200${cursor}`);
    seen += page.data.length;
    if (!page.has_more) break;
    cursor = `&cursor=${page.next_cursor}`;
  }
  expect(seen).toBe(MORE + 1);
});
