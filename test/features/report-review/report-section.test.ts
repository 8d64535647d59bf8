import { describe, expect, test } from "bun:test";
import { type Options, ReviewerWorld } from "#test/features/report-review/reviewer-world";
import { Place } from "#test/store/directory";
import { someRecord } from "#test/store/records";
import { verifies } from "#test/support/verifies";

const KEY = `AKIA${"Z7QX2M4LTR8WVB3N"}`;
const TEXT = `Write to jane.roe@acme-corp.com with ${KEY}.`;

/** A world without a reviewer, with somebody of each role. */
const service = async (use: (world: ReviewerWorld, ids: Ids) => Promise<void>, options: Partial<Options> = {}) => {
  await using place = new Place();
  await using world = new ReviewerWorld(await place.open(), { url: null, ...options });
  const ids = {
    eve: (await world.person("eve", "member")).id,
    bob: (await world.person("bob", "member")).id,
    ann: (await world.person("ann", "analyst")).id,
    rob: (await world.person("rob", "reviewer")).id,
    ada: (await world.person("ada", "admin")).id,
    aud: (await world.person("aud", "auditor")).id,
  };
  await use(world, ids);
};
type Ids = Readonly<Record<"eve" | "bob" | "ann" | "rob" | "ada" | "aud", string>>;

describe("reports", () => {
  test("are listed: all for reviewers, own ones for others", async () => {
    verifies("reviewer.people");
    await service(async (world, { eve, bob }) => {
      const mine = await world.report(TEXT, { user_id: eve });
      world.now += 1;
      const theirs = await world.report(TEXT, { user_id: bob, direction: "false_negative", status: "closed" });
      const list = async (who: string, query = "") => {
        const { json } = await world.api(who, "GET", `/reports${query}`);
        return json.data.map(({ id }: { id: string }) => id);
      };
      for (const who of ["ann", "rob", "ada", "aud"]) expect(await list(who)).toEqual([theirs, mine]);
      expect(await list("eve")).toEqual([mine]);
      expect(await list("rob", "?status=submitted")).toEqual([mine]);
      expect(await list("rob", "?direction=false_negative")).toEqual([theirs]);
      expect(await world.api("rob", "GET", "/reports?status=odd")).toMatchObject({ status: 400 });
      expect(await world.api("nobody", "GET", "/reports")).toMatchObject({ status: 401 });
    });
  });

  test("are opened by the desk, and each look is on record", async () => {
    verifies("reviewer.reading");
    await service(async (world, { eve, rob }) => {
      const id = await world.report(TEXT, { user_id: eve });
      const { json } = await world.api("rob", "GET", `/reports/${id}`);
      expect(json).toMatchObject({ id, is_masked: false, content: [{ origin: "user", text: TEXT }] });
      expect(JSON.stringify(json)).not.toContain("sealed");
      const records = await world.records("report.read");
      expect(records.map(({ actor, change }) => [actor.user_id, change?.subject_id])).toEqual([[rob, id]]);
      expect(JSON.stringify(records)).not.toContain("jane.roe");
    });
  });

  test("are masked for the reporter, without content for auditors, hidden from others", async () => {
    verifies("reviewer.reading");
    await service(async (world, { eve }) => {
      const id = await world.report(TEXT, { user_id: eve });
      const own = await world.api("eve", "GET", `/reports/${id}`);
      expect(own.json).toMatchObject({ is_masked: true });
      expect(own.json.content[0].text).toContain("‹SECRET:aws_access_key:len20›");
      expect(own.json.content[0].text).not.toMatch(/jane\.roe|AKIA/);
      expect((await world.api("aud", "GET", `/reports/${id}`)).json).toMatchObject({ content: null });
      expect((await world.api("bob", "GET", `/reports/${id}`)).status).toBe(404);
      expect((await world.api("rob", "GET", "/reports/none")).status).toBe(404);
      expect(await world.records("report.read")).toEqual([]);
    });
  });

  test("show no content once it is deleted", async () => {
    await service(async (world, { eve }) => {
      const id = await world.report(null, { user_id: eve });
      expect((await world.api("rob", "GET", `/reports/${id}`)).json).toMatchObject({ content: null });
      expect(await world.records("report.read")).toEqual([]);
    });
  });
});

describe("a decision", () => {
  test.each([
    ["false_positive", "false_positive", 1],
    ["false_positive", "true_positive", 0],
    ["false_positive", "inconclusive", 0],
    ["false_negative", "true_positive", 1],
    ["false_negative", "false_positive", 0],
  ] as const)("on a %s that it is %s closes it and makes %i suggestions", async (direction, verdict, count) => {
    verifies("reviewer.people", "reviewer.no-change", "reviewer.optional", "reviewer.audited");
    await service(async (world, { eve, ann }) => {
      const { id, status } = await world.reviewed(TEXT, { user_id: eve, direction });
      expect(status).toBe("needs_human");
      const { json } = await world.api("ann", "POST", `/reports/${id}/decision`, { verdict, comment: "Looked at it." });
      expect(json).toMatchObject({ status: "closed", decision: verdict, decided_by: ann, llm_verdict: null });
      expect(json.closed_at).toBe(json.decided_at);
      expect(world.suggested.length).toBe(count);
      const [record] = await world.records("report.decide");
      expect(record?.actor.user_id).toBe(ann);
      expect(record?.change?.detail).toMatchObject({ verdict, comment: "Looked at it.", alone: false });
    });
  });

  test("can be made before, while and after a model judges, and not twice", async () => {
    verifies("reviewer.people");
    await service(async (world, { eve }) => {
      for (const status of ["submitted", "reviewing", "reviewed", "needs_human"] as const) {
        const id = await world.report(TEXT, { user_id: eve, status });
        const path = `/reports/${id}/decision`;
        expect((await world.api("rob", "POST", path, { verdict: "true_positive" })).status).toBe(200);
        const again = await world.api("ada", "POST", path, { verdict: "false_positive" });
        expect([again.status, again.json.error.code]).toEqual([409, "state_conflict"]);
        await world.jobs.tick();
        expect(await world.byId(id)).toMatchObject({ status: "closed", decision: "true_positive", llm_verdict: null });
      }
      const withdrawn = await world.report(TEXT, { user_id: eve, status: "withdrawn" });
      const late = await world.api("rob", "POST", `/reports/${withdrawn}/decision`, { verdict: "true_positive" });
      expect(late.status).toBe(409);
    });
  });

  test("is refused for the reporter and for other roles", async () => {
    verifies("reviewer.people");
    await service(async (world, { eve, rob, ada }) => {
      const decide = async (who: string, id: string, body: object = { verdict: "false_positive", comment: "Mine." }) =>
        (await world.api(who, "POST", `/reports/${id}/decision`, body)).status;
      const id = await world.report(TEXT, { user_id: eve });
      expect(await decide("eve", id)).toBe(403);
      expect(await decide("aud", id)).toBe(403);
      expect(await decide("bob", id)).toBe(404);
      expect(await decide("rob", await world.report(TEXT, { user_id: rob }))).toBe(403);
      expect(await decide("ada", await world.report(TEXT, { user_id: ada }))).toBe(403);
      for (const body of [{}, { verdict: "benign" }, { verdict: "true_positive", apply: true }]) {
        expect(await decide("rob", id, body)).toBe(400);
      }
      expect(world.suggested).toEqual([]);
    });
  });

  test("on one's own report is a sole administrator's, with a reason, on record", async () => {
    verifies("reviewer.people");
    await using place = new Place();
    await using world = new ReviewerWorld(await place.open(), { url: null });
    const { id: ada } = await world.person("ada", "admin");
    await world.person("eve", "member");
    const { id: rob } = await world.person("rob", "reviewer");
    await world.store.users.update(rob, { state: "disabled" }, someRecord());
    const id = await world.report(TEXT, { user_id: ada });
    const decide = (body: object) => world.api("ada", "POST", `/reports/${id}/decision`, body);
    expect((await decide({ verdict: "false_positive" })).json.error.code).toBe("approval_required");
    expect((await decide({ verdict: "false_positive", comment: "Nobody else is there." })).status).toBe(200);
    expect((await world.records("report.decide"))[0]?.change?.detail).toMatchObject({ alone: true });
  });

  test("holds though its suggestion cannot be made now; that is tried again", async () => {
    verifies("reviewer.no-change", "reviewer.jobs");
    await service(async (world, { eve }) => {
      const { id } = await world.reviewed(TEXT, { user_id: eve });
      world.stop = new Error("no replay now");
      const path = `/reports/${id}/decision`;
      expect((await world.api("rob", "POST", path, { verdict: "false_positive" })).status).toBe(200);
      world.stop = null;
      await world.jobs.tick();
      expect(world.suggested).toEqual([id]);
    });
  });
});

test("without a reviewer its state says so", async () => {
  await service(async (world) => {
    expect((await world.api("ann", "GET", "/reviewer")).json).toMatchObject({ model: null, is_paused: false });
    expect((await world.api("eve", "GET", "/reviewer")).status).toBe(403);
    expect((await world.api("ada", "POST", "/reviewer/resume", { reason: "x" })).status).toBe(409);
  });
});
