import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { GuardError } from "#core/errors";
import { AccessService } from "#features/access/service";
import { AgentService } from "#features/agents/service";
import { type ReviewActor, ReviewService } from "#features/reviews/service";
import type { Agent } from "#model/agent";
import { CLI_ACTOR } from "#model/change";
import type { Role, User } from "#model/person";
import { systemIds } from "#platform/ids";
import { openSqliteStore, type SqliteStore } from "#store/sqlite/index";
import { answers } from "#test/support/answers";
import { verifies } from "#test/support/verifies";

const DAY_MS = 86_400_000;

let home: string;
let store: SqliteStore;
let now: number;
let service: ReviewService;
let agents: AgentService;
let people: Readonly<Record<"owner" | "sponsor" | "ann" | "bob", ReviewActor>>;
let agent: Agent;

const person = async (access: AccessService, name: string, role: Role): Promise<ReviewActor> => {
  const email = `${name}@example.com`;
  const user: User | null = await access.createUser(CLI_ACTOR, { email, name: null, role, password: null });
  if (!user) throw new Error("the user was not created");
  return { user, by: { ...CLI_ACTOR, user_id: user.id } };
};

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "guardhouse-reviews-"));
  store = await openSqliteStore({ dataDir: home, durability: "normal", writer: "inline" });
  now = Date.parse("2026-11-21T10:00:00.000Z");
  const basics = { ...store, now: () => now, ids: systemIds };
  const access = new AccessService(basics);
  service = new ReviewService(basics);
  agents = new AgentService(basics);
  people = {
    owner: await person(access, "owner", "member"),
    sponsor: await person(access, "sponsor", "member"),
    ann: await person(access, "ann", "reviewer"),
    bob: await person(access, "bob", "reviewer"),
  };
  agent = await agents.create(CLI_ACTOR, people.owner.user, { name: "desk", sponsor: "sponsor@example.com" });
});
afterEach(async () => {
  await store.close();
  await rm(home, { recursive: true, force: true });
});

const submit = () => service.create(people.owner, agent, answers(), true);
const approve = async (who: ReviewActor, id: string) => {
  const passage = await service.passage(who.user, id);
  const { content_hash } = passage.review;
  return service.decide(who, passage, { decision: "approve", content_hash: content_hash ?? "" });
};
const statusOf = async (): Promise<string | undefined> => (await store.agents.byId(agent.id))?.review_status;

test("reviews unchanged for 30 days are withdrawn; drafts and started reviews stay", async () => {
  verifies("review.idle");
  const review = await submit();
  now += 29 * DAY_MS;
  expect(await service.runOnce(now)).toBe(0);
  await service.start(people.ann, await service.passage(people.ann.user, review.id));
  now += 2 * DAY_MS;
  expect(await service.runOnce(now)).toBe(0);
  now += 28 * DAY_MS;
  expect(await service.runOnce(now)).toBe(1);
  expect([(await store.reviews.byId(review.id))?.status, await statusOf()]).toEqual(["withdrawn", "withdrawn"]);
  const [record] = await store.audit.tail(1);
  expect(JSON.parse(record?.body ?? "{}")).toMatchObject({ kind: "review.withdraw", actor: { via: "system" } });

  await service.create(people.owner, agent, {}, false);
  now += 400 * DAY_MS;
  expect(await service.runOnce(now)).toBe(0);
});

test("a review of a retired agent is withdrawn", async () => {
  verifies("review.idle", "agents.lifecycle");
  const review = await submit();
  await agents.retire(CLI_ACTOR, agent, "desk");
  expect(await service.runOnce(now)).toBe(1);
  expect((await store.reviews.byId(review.id))?.status).toBe("withdrawn");
});

test("of two concurrent approvals one is refused as stale, and one profile is published", async () => {
  verifies("review.publishes");
  const review = await submit();
  const both = [people.ann, people.bob].map(async (who) => ({
    who,
    passage: await service.passage(who.user, review.id),
  }));
  const ready = await Promise.all(both);
  const wanted = { decision: "approve", content_hash: review.content_hash ?? "" } as const;
  const ends = await Promise.allSettled(ready.map(({ who, passage }) => service.decide(who, passage, wanted)));
  const failures = ends.flatMap((end) => (end.status === "rejected" ? [(end.reason as GuardError).code] : []));
  expect(failures).toEqual(["stale_base"]);
  expect(await store.profiles.ofAgent(agent.id)).toHaveLength(1);
  expect(await store.reviews.decisions(review.id)).toHaveLength(1);
});

test("while a profile is in force the agent stays approved, whatever further review goes on", async () => {
  verifies("review.material");
  await approve(people.ann, (await submit()).id);
  expect(await statusOf()).toBe("approved");
  const fresh = await service.agent(people.owner.user, agent.id);
  const second = await service.create(people.owner, fresh, {}, true);
  expect(await statusOf()).toBe("approved");
  const passage = await service.passage(people.ann.user, second.id);
  await service.decide(people.ann, passage, { decision: "reject", content_hash: second.content_hash ?? "" });
  const held = await store.agents.byId(agent.id);
  expect(held).toMatchObject({ review_status: "approved", profile_version: 1 });
});

test("a review of 20 points shows, takes an administrator, and fails closed", async () => {
  verifies("review.approvals");
  const access = new AccessService({ ...store, now: () => now, ids: systemIds });
  const root = await person(access, "root", "admin");
  const worst = answers({
    purpose: { intended_use: "Everything.", audience: "public" },
    data_privacy: { data_classes: ["special_category"] },
    secrets_security: { egress: "open", code_execution: true },
  });
  const review = await service.create(people.owner, agent, worst, true);
  expect(review).toMatchObject({ risk: { tier: "critical", points: 20 }, required: 2 });
  expect((await approve(people.ann, review.id)).status).toBe("in_review");
  expect((await approve(people.bob, review.id)).status).toBe("in_review");
  expect((await approve(root, review.id)).status).toBe("approved");
  const [profile] = await store.profiles.ofAgent(agent.id);
  expect(profile?.body.fail_mode).toBe("closed");
  expect(profile?.approved_by).toHaveLength(3);
});

test("audit records of a review have hashes and counts, never texts", async () => {
  verifies("review.publishes");
  const given = answers({ monitoring: { incident_plan: "needle-in-answers" } });
  const review = await service.create(people.owner, agent, given, true);
  const passage = await service.passage(people.ann.user, review.id);
  await service.comment(people.ann, passage, { text: "needle-in-comment" });
  const comment = "needle-in-decision";
  await service.decide(people.ann, passage, { decision: "reject", content_hash: review.content_hash ?? "", comment });
  const records = (await store.audit.tail(100)).map(({ body }) => body).join("\n");
  expect(records).toContain(review.content_hash ?? "none");
  expect(records).not.toContain("needle");
});
