import { describe, expect, test } from "bun:test";
import { WebhookQueue } from "#features/webhooks/webhook-queue";
import { rotated, sealWebhookSecret } from "#features/webhooks/webhook-secrets";
import { RETRY_AFTER_MS, Webhooks } from "#features/webhooks/webhooks";
import { JobRunner } from "#hub/job-runner";
import type { HubEvent } from "#model/event";
import type { Webhook } from "#model/webhook";
import { systemIds } from "#platform/ids";
import { jsonLog } from "#platform/log";
import { openSecret, sealSecret } from "#platform/sealing";
import type { SqliteStore } from "#store/sqlite/index";
import { Place } from "#test/store/directory";
import { someRecord } from "#test/store/records";
import { verifies } from "#test/support/verifies";
import { isSignedWith, WebhookReceiver } from "#test/support/webhook-receiver";
import { webhookSender } from "#upstream/webhook-sender";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const KEY = new Uint8Array(32).fill(7);
const SECRET = `whsec_${Buffer.alloc(32, 1).toString("base64")}`;
const NEXT_SECRET = `whsec_${Buffer.alloc(32, 2).toString("base64")}`;
const SEALING = {
  seal: (purpose: string, secret: string) => sealSecret(KEY, purpose, secret),
  unseal: (purpose: string, sealed: string) => openSecret(KEY, purpose, sealed),
};
const START = Date.UTC(2026, 10, 21, 12);

/** The hub's part that sends, on a store of its own, with a clock that stands still and a receiver that is real. */
class Post implements AsyncDisposable {
  now = START;
  /** Of the jitter: 0 for none. */
  chance = 0;
  private readonly runner: JobRunner;
  readonly queue: WebhookQueue;
  readonly deliverer: Webhooks;
  readonly receiver = new WebhookReceiver();

  private constructor(
    private readonly place: Place,
    readonly store: SqliteStore,
  ) {
    const now = () => this.now;
    const log = jsonLog("error", () => {}, now);
    const { webhooks, jobs } = store;
    const send = webhookSender({ allowPrivate: ["127.0.0.0/8"], now, version: "test" });
    const basics = { now, ids: systemIds };
    this.queue = new WebhookQueue({ webhooks, publicUrl: () => "https://hub.example", ...basics });
    this.deliverer = new Webhooks({ webhooks, send, ...SEALING, ...basics, random: () => this.chance, log });
    this.runner = new JobRunner({ jobs, handlers: [this.deliverer], worker: "w1", now, log });
  }

  static async open(): Promise<Post> {
    const place = new Place();
    return new Post(place, await place.open({ writer: "inline" }));
  }

  async subscribe(id: string, more: Partial<Webhook> = {}): Promise<Webhook> {
    const webhook: Webhook = {
      id,
      url: this.receiver.url,
      events: ["*"],
      active: true,
      sealed_secrets: [sealWebhookSecret(id, SECRET, null, SEALING)],
      description: null,
      disabled_reason: null,
      created_by: null,
      created_at: START,
      failing_since: null,
      ...more,
    };
    await this.store.webhooks.create(webhook, someRecord());
    return webhook;
  }

  tell(more: Partial<HubEvent> = {}): Promise<void> {
    const about = { agent_id: "a1", user_id: "u1", subject: "review", subject_id: "r1" };
    return this.queue.enqueue({ id: systemIds(), type: "review.approved", at: START, ...about, ...more });
  }

  /** Lets the time pass, and what is due then be done. */
  async after(ms = 0): Promise<void> {
    this.now += ms;
    await this.runner.tick();
  }

  async webhook(id: string): Promise<Webhook> {
    const webhook = await this.store.webhooks.byId(id);
    if (!webhook) throw new Error("there is no such webhook");
    return webhook;
  }

  /** The newest delivery. */
  async delivery(id = "w") {
    const [delivery] = await this.store.webhooks.deliveries(id, 1);
    if (!delivery) throw new Error("nothing was queued");
    return delivery;
  }

  /** Kinds of the records of changes, in order. */
  async kinds(): Promise<string[]> {
    const rows = await this.store.audit.tail(100);
    return rows.map(({ body }) => String(JSON.parse(body).kind)).reverse();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.receiver[Symbol.asyncDispose]();
    await this.place[Symbol.asyncDispose]();
  }
}

describe("webhook queue", () => {
  test("is a thin payload for each webhook that subscribes to it and is on", async () => {
    verifies("webhook.thin");
    await using post = await Post.open();
    await post.subscribe("w", { events: ["review.*"] });
    await post.subscribe("other", { events: ["killswitch.on"] });
    await post.subscribe("off", { active: false });
    await post.subscribe("later", { created_at: START + 1 });
    await post.tell();
    await post.after();
    expect(post.receiver.received.map(({ body }) => JSON.parse(body))).toEqual([
      {
        type: "review.approved",
        timestamp: "2026-11-21T12:00:00.000Z",
        data: { id: "r1", agent_id: "a1", url: "https://hub.example/api/reviews/r1" },
      },
    ]);
    expect(await post.delivery()).toMatchObject({
      state: "delivered",
      attempts: [{ at: START, status: 204, error: null }],
    });
    await post.after(DAY);
    expect(post.receiver.received).toHaveLength(1);
  });

  test("says where to look, or nothing where there is no address", async () => {
    await using post = await Post.open();
    await post.subscribe("w");
    const about = [
      { subject: "agent", subject_id: "a1", type: "agent.created" },
      { subject: "agent", subject_id: "a1", type: "health.band_changed" },
      { subject: "restriction", subject_id: "x1", type: "restriction.applied" },
      { subject: "kill_switch", subject_id: "k1", type: "killswitch.on" },
      { subject: "token", subject_id: "t1", type: "token.created" },
    ] as const;
    for (const event of about) {
      await post.tell(event);
      await post.after();
    }
    expect(post.receiver.received.map(({ body }) => JSON.parse(body).data.url)).toEqual([
      "https://hub.example/api/agents/a1",
      "https://hub.example/api/agents/a1/health",
      "https://hub.example/api/agents/a1/restrictions/x1",
      "https://hub.example/api/killswitch",
      null,
    ]);
  });
});

describe("webhook deliveries that are not accepted", () => {
  test("is sent again on the schedule, under one id, then given up", async () => {
    verifies("webhook.retries");
    await using post = await Post.open();
    await post.subscribe("w");
    post.receiver.answers[0] = 500;
    await post.tell();
    await post.after();
    for (const [index, wait] of RETRY_AFTER_MS.entries()) {
      expect(await post.delivery()).toMatchObject({ state: "pending", next_at: post.now + wait });
      await post.after(wait - 1);
      expect(post.receiver.received).toHaveLength(index + 1);
      await post.after(1);
      expect(post.receiver.received).toHaveLength(index + 2);
    }
    expect(await post.delivery()).toMatchObject({ state: "failed", next_at: null });
    expect((await post.delivery()).attempts).toHaveLength(10);
    await post.after(DAY);
    expect(post.receiver.received).toHaveLength(10);
    expect(new Set(post.receiver.received.map(({ id }) => id)).size).toBe(1);
    // Each attempt is signed at its own time.
    expect(new Set(post.receiver.received.map(({ timestamp }) => timestamp)).size).toBe(10);
    expect(post.receiver.received.every((got) => isSignedWith(SECRET, got))).toBe(true);
  });

  test("waits up to a tenth longer, so that not all come back at once", async () => {
    await using post = await Post.open();
    await post.subscribe("w");
    post.chance = 1;
    post.receiver.answers.unshift(503);
    await post.tell();
    await post.after();
    await post.after(5_499);
    expect(post.receiver.received).toHaveLength(1);
    await post.after(1);
    expect(await post.delivery()).toMatchObject({ state: "delivered", attempts: [{ status: 503 }, { status: 204 }] });
  });

  test("since when is noted, and forgotten with the first that is taken", async () => {
    await using post = await Post.open();
    await post.subscribe("w");
    post.receiver.answers.unshift(500, 500);
    await post.tell();
    await post.after();
    expect(await post.webhook("w")).toMatchObject({ failing_since: START });
    await post.after(5_000);
    expect(await post.webhook("w")).toMatchObject({ failing_since: START });
    await post.after(5 * MINUTE);
    expect(await post.webhook("w")).toMatchObject({ failing_since: null, active: true });
    expect((await post.kinds()).slice(-2)).toEqual(["webhook.fail", "webhook.recover"]);
  });

  test("a receiver that is gone is sent nothing more", async () => {
    verifies("webhook.disabled");
    await using post = await Post.open();
    await post.subscribe("w");
    post.receiver.answers[0] = 410;
    await post.tell();
    await post.tell();
    await post.after();
    expect(await post.webhook("w")).toMatchObject({ active: false, disabled_reason: expect.stringContaining("410") });
    expect(await post.delivery()).toMatchObject({ state: "failed" });
    const sent = post.receiver.received.length;
    await post.tell();
    await post.after(DAY);
    expect(post.receiver.received).toHaveLength(sent);
    expect(await post.kinds()).toContain("webhook.disable");
  });

  test("a receiver that takes nothing for five days is sent nothing more; what still waits is failed", async () => {
    verifies("webhook.disabled");
    await using post = await Post.open();
    await post.subscribe("w");
    post.receiver.answers[0] = 500;
    for (let day = 0; day < 5; day += 1) {
      await post.tell();
      await post.after();
      expect((await post.webhook("w")).active).toBe(true);
      await post.after(DAY);
    }
    await post.tell();
    await post.after();
    expect(await post.webhook("w")).toMatchObject({ active: false, disabled_reason: expect.stringContaining("five") });
    const sent = post.receiver.received.length;
    await post.after(3 * DAY);
    expect(post.receiver.received).toHaveLength(sent);
    const all = await post.store.webhooks.deliveries("w", 100);
    expect(all.filter(({ state }) => state === "pending").length).toBe(0);
  });

  test("one that holds its answer back does not keep the others waiting", async () => {
    await using post = await Post.open();
    const silent = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Promise<Response>(() => {}) });
    await post.subscribe("slow", { url: `http://127.0.0.1:${silent.port}/` });
    await post.subscribe("w");
    await post.tell();
    void post.after();
    const deadline = performance.now() + 60_000;
    while (post.receiver.received.length === 0 && performance.now() < deadline) await Bun.sleep(5);
    expect(post.receiver.received).toHaveLength(1);
    await silent.stop(true);
  });
});

test("while a secret is replaced both sign, afterwards the new one alone", async () => {
  verifies("webhook.signed");
  await using post = await Post.open();
  const webhook = await post.subscribe("w");
  const sealed_secrets = rotated(webhook, NEXT_SECRET, START + HOUR, SEALING);
  await post.store.webhooks.update("w", { sealed_secrets }, someRecord());
  await post.tell();
  await post.after();
  await post.tell();
  await post.after(HOUR);
  const signed = post.receiver.received.map((got) => [isSignedWith(SECRET, got), isSignedWith(NEXT_SECRET, got)]);
  expect(signed).toEqual([
    [true, true],
    [false, true],
  ]);
});

test("the log goes back 30 days", async () => {
  verifies("webhook.log");
  await using post = await Post.open();
  await post.subscribe("w");
  await post.tell();
  await post.after();
  await post.after(30 * DAY);
  expect(await post.deliverer.retain()).toBe(0);
  await post.after(1);
  expect(await post.deliverer.retain()).toBe(1);
});
