import { expect, test } from "bun:test";
import { failure, type It, type Lend } from "#test/store/contract";
import { DELIVER, DELIVERY, JOB, WEBHOOK, withPolicy } from "#test/store/looped";
import { someRecord } from "#test/store/records";
import { traces } from "#test/store/tool-servers";
import { verifies } from "#test/support/verifies";

/** What every store must do of the work around the loop. `lend` opens an empty one, and takes it away afterwards. */
export const loopWorkContract = (name: string, lend: Lend): void => {
  const it: It = (title, use) =>
    test(`${name}: ${title}`, () =>
      lend(async (store) => {
        await withPolicy(store);
        await use(store);
      }));
  jobs(it);
  idempotency(it);
  webhooks(it);
};

const jobs = (it: It): void => {
  it("gives a job to one worker until its lease is over", async (store) => {
    verifies("loop.job-lease");
    await store.jobs.add(JOB);
    const before = await traces(store);
    expect(await store.jobs.lease("report.review", "a", 999, 2_000, 9)).toEqual([]);
    expect(await store.jobs.lease("webhook.deliver", "a", 1_000, 2_000, 9)).toEqual([]);
    const begun = { ...JOB, attempts: 1 };
    const leases = ["a", "a", "a"].map((worker) => store.jobs.lease("report.review", worker, 1_000, 2_000, 9));
    expect((await Promise.all(leases)).flat()).toEqual([begun]);
    expect(await store.jobs.lease("report.review", "b", 1_999, 3_000, 9)).toEqual([]);
    expect(await store.jobs.lease("report.review", "b", 2_000, 3_000, 9)).toEqual([{ ...JOB, attempts: 2 }]);
    // Who was too slow neither ends it nor puts it off.
    expect(await store.jobs.done("j1", "a")).toBe(false);
    expect(await store.jobs.retry("j1", "a", 9_000, "late")).toBe(false);
    expect(await store.jobs.done("j1", "b")).toBe(true);
    expect(await store.jobs.done("j1", "b")).toBe(false);
    expect(await store.jobs.lease("report.review", "b", 9_000, 9_999, 9)).toEqual([]);
    expect(await traces(store)).toEqual(before);
  });

  it("gives a job that failed again when its time has come, to anybody", async (store) => {
    verifies("loop.job-lease");
    await store.jobs.add(JOB);
    await store.jobs.lease("report.review", "a", 1_000, 2_000, 1);
    expect(await store.jobs.retry("j1", "a", 1_500, "no answer")).toBe(true);
    expect(await store.jobs.retry("j1", "a", 1_500, "no answer")).toBe(false);
    expect(await store.jobs.done("j1", "a")).toBe(false);
    expect(await store.jobs.lease("report.review", "b", 1_499, 3_000, 1)).toEqual([]);
    const again = { ...JOB, run_at: 1_500, attempts: 2 };
    expect(await store.jobs.lease("report.review", "b", 1_500, 3_000, 1)).toEqual([again]);
  });

  it("gives the earliest first, and no more than asked for", async (store) => {
    const times = { j5: 30, j2: 20, j4: 10, j3: 20, j1: 40 };
    for (const [id, run_at] of Object.entries(times)) await store.jobs.add({ ...JOB, id, run_at });
    const lease = async (most: number) =>
      (await store.jobs.lease("report.review", "a", 35, 100, most)).map(({ id }) => id);
    expect(await lease(3)).toEqual(["j4", "j2", "j3"]);
    expect(await lease(3)).toEqual(["j5"]);
    expect(await failure(store.jobs.add({ ...JOB, id: "j1" }))).toBeInstanceOf(Error);
  });
};

const DAY = 86_400_000;
const REPLAY = { status: 201, body: '{"id":"rep1"}' };

const idempotency = (it: It): void => {
  it("lets one of many that claim a key go first, and gives the others its answer", async (store) => {
    verifies("loop.idempotency");
    const claim = (fingerprint = "f1", at = 1_000, scope = "u1") =>
      store.idempotency.claim(scope, "key", fingerprint, at);
    const kinds = (await Promise.all(Array.from({ length: 20 }, () => claim()))).map(({ kind }) => kind);
    expect(kinds.toSorted()).toEqual(["fresh", ...Array.from({ length: 19 }, () => "running" as const)]);
    expect(await claim("f2")).toEqual({ kind: "mismatch" });
    expect(await claim("f2", 1_000, "u2")).toEqual({ kind: "fresh" });
    await store.idempotency.finish("u1", "key", REPLAY);
    await store.idempotency.finish("u1", "key", { status: 500, body: "other" });
    await store.idempotency.finish("u1", "key", null);
    expect(await claim("f1", DAY)).toEqual({ kind: "replay", replay: REPLAY });
    expect(await claim("f2", DAY)).toEqual({ kind: "mismatch" });
    expect(await claim("f2", 1_001 + DAY)).toEqual({ kind: "fresh" });
  });

  it("lets a key be claimed again whose request came to nothing, or whose process died", async (store) => {
    verifies("loop.idempotency");
    const claim = async (at: number) => (await store.idempotency.claim("u1", "key", "f1", at)).kind;
    expect(await claim(0)).toBe("fresh");
    await store.idempotency.finish("u1", "key", null);
    expect(await claim(1)).toBe("fresh");
    expect(await claim(600_001)).toBe("running");
    expect(await claim(600_002)).toBe("fresh");
    expect(await claim(600_003)).toBe("running");
    await store.idempotency.finish("u1", "none", REPLAY);
    expect(await traces(store)).toEqual([7, 7]);
  });
};

const webhooks = (it: It): void => {
  it("keeps webhooks, each change with its record", async (store) => {
    verifies("loop.webhook-kept");
    const before = await traces(store);
    await store.webhooks.create(WEBHOOK, someRecord());
    await store.webhooks.create({ ...WEBHOOK, id: "w2", created_at: 1_999 }, someRecord());
    expect((await store.webhooks.list()).map(({ id }) => id)).toEqual(["w2", "w1"]);
    const patch = {
      active: false,
      disabled_reason: "It did not answer.",
      failing_since: 5,
      sealed_secrets: ["a", "b"],
    };
    expect(await store.webhooks.update("w1", patch, someRecord())).toBe(true);
    expect(await store.webhooks.byId("w1")).toEqual({ ...WEBHOOK, ...patch });
    expect(await store.webhooks.update("none", patch, someRecord())).toBe(false);
    expect(await store.webhooks.remove("w1", someRecord())).toBe(true);
    expect(await store.webhooks.remove("w1", someRecord())).toBe(false);
    expect(await store.webhooks.byId("w1")).toBeNull();
    expect(await traces(store)).toEqual([before[0] + 4, before[1] + 4]);
  });

  it("queues a delivery with its job, and keeps what became of it as long as the webhook is there", async (store) => {
    verifies("loop.webhook-kept");
    await store.webhooks.create(WEBHOOK, someRecord());
    const before = await traces(store);
    await store.webhooks.queue(DELIVERY, DELIVER);
    const twice = store.webhooks.queue({ ...DELIVERY, id: "d2" }, DELIVER);
    expect(await failure(twice)).toBeInstanceOf(Error);
    expect(await store.webhooks.delivery("d2")).toBeNull();
    await store.webhooks.queue({ ...DELIVERY, id: "d3", webhook_id: "gone" }, { ...DELIVER, id: "j8" });
    // Of an event that is told again after a crash.
    await store.webhooks.queue({ ...DELIVERY, id: "d5" }, { ...DELIVER, id: "j5" }, "once");
    expect(await store.webhooks.delivery("d5")).toBeNull();
    const leased = await store.jobs.lease("webhook.deliver", "a", 2_100, 3_000, 9);
    expect(leased).toEqual([{ ...DELIVER, attempts: 1 }]);
    const attempts = [{ at: 2_101, status: 500, error: null, ms: 12.5 }];
    const tried = { ...DELIVERY, state: "failed", attempts, next_at: null } as const;
    await store.webhooks.saveDelivery(tried);
    expect(await store.webhooks.delivery("d1")).toEqual(tried);
    await store.webhooks.queue({ ...DELIVERY, id: "d4", created_at: 2_200 }, { ...DELIVER, id: "j7" });
    const ids = async (most: number) => (await store.webhooks.deliveries("w1", most)).map(({ id }) => id);
    expect(await ids(9)).toEqual(["d4", "d1"]);
    expect(await ids(1)).toEqual(["d4"]);
    expect(await store.webhooks.dropDeliveries(2_200)).toBe(1);
    expect(await ids(9)).toEqual(["d4"]);
    expect(await traces(store)).toEqual(before);
    await store.webhooks.remove("w1", someRecord());
    expect(await ids(9)).toEqual([]);
    await store.webhooks.saveDelivery(tried);
    expect(await store.webhooks.delivery("d1")).toBeNull();
  });
};
