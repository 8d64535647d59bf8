import { describe, expect, test } from "bun:test";
import { type Options, ReviewRoom } from "#test/engine/review-room";
import { Place } from "#test/store/directory";
import { someRecord } from "#test/store/records";
import { verifies } from "#test/support/verifies";

const KEY = `AKIA${"Z7QX2M4LTR8WVB3N"}`;
const TEXT = `Write to jane.roe@acme-corp.com with ${KEY}.`;

/** A room without a reviewer, with somebody of each role. */
const desk = async (use: (room: ReviewRoom, ids: Ids) => Promise<void>, options: Partial<Options> = {}) => {
  await using place = new Place();
  await using room = new ReviewRoom(await place.open(), { url: null, ...options });
  const ids = {
    eve: (await room.person("eve", "member")).id,
    bob: (await room.person("bob", "member")).id,
    ann: (await room.person("ann", "analyst")).id,
    rob: (await room.person("rob", "reviewer")).id,
    ada: (await room.person("ada", "admin")).id,
    aud: (await room.person("aud", "auditor")).id,
  };
  await use(room, ids);
};
type Ids = Readonly<Record<"eve" | "bob" | "ann" | "rob" | "ada" | "aud", string>>;

describe("reports", () => {
  test("are listed: all for the desk, one's own for everybody else", async () => {
    verifies("reviewer.people");
    await desk(async (room, { eve, bob }) => {
      const mine = await room.report(TEXT, { user_id: eve });
      room.now += 1;
      const theirs = await room.report(TEXT, { user_id: bob, direction: "false_negative", status: "closed" });
      const list = async (who: string, query = "") => {
        const { json } = await room.api(who, "GET", `/reports${query}`);
        return json.data.map(({ id }: { id: string }) => id);
      };
      for (const who of ["ann", "rob", "ada", "aud"]) expect(await list(who)).toEqual([theirs, mine]);
      expect(await list("eve")).toEqual([mine]);
      expect(await list("rob", "?status=submitted")).toEqual([mine]);
      expect(await list("rob", "?direction=false_negative")).toEqual([theirs]);
      expect(await room.api("rob", "GET", "/reports?status=odd")).toMatchObject({ status: 400 });
      expect(await room.api("nobody", "GET", "/reports")).toMatchObject({ status: 401 });
    });
  });

  test("are opened by the desk, and each look is on record", async () => {
    verifies("reviewer.reading");
    await desk(async (room, { eve, rob }) => {
      const id = await room.report(TEXT, { user_id: eve });
      const { json } = await room.api("rob", "GET", `/reports/${id}`);
      expect(json).toMatchObject({ id, is_masked: false, content: [{ origin: "user", text: TEXT }] });
      expect(JSON.stringify(json)).not.toContain("sealed");
      const records = await room.records("report.read");
      expect(records.map(({ actor, change }) => [actor.user_id, change?.subject_id])).toEqual([[rob, id]]);
      expect(JSON.stringify(records)).not.toContain("jane.roe");
    });
  });

  test("are masked for who sent them, without content for auditors, and not there for others", async () => {
    verifies("reviewer.reading");
    await desk(async (room, { eve }) => {
      const id = await room.report(TEXT, { user_id: eve });
      const own = await room.api("eve", "GET", `/reports/${id}`);
      expect(own.json).toMatchObject({ is_masked: true });
      expect(own.json.content[0].text).toContain("‹SECRET:aws_access_key:len20›");
      expect(own.json.content[0].text).not.toMatch(/jane\.roe|AKIA/);
      expect((await room.api("aud", "GET", `/reports/${id}`)).json).toMatchObject({ content: null });
      expect((await room.api("bob", "GET", `/reports/${id}`)).status).toBe(404);
      expect((await room.api("rob", "GET", "/reports/none")).status).toBe(404);
      expect(await room.records("report.read")).toEqual([]);
    });
  });

  test("show no content once it is deleted", async () => {
    await desk(async (room, { eve }) => {
      const id = await room.report(null, { user_id: eve });
      expect((await room.api("rob", "GET", `/reports/${id}`)).json).toMatchObject({ content: null });
      expect(await room.records("report.read")).toEqual([]);
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
    await desk(async (room, { eve, ann }) => {
      const { id, status } = await room.reviewed(TEXT, { user_id: eve, direction });
      expect(status).toBe("needs_human");
      const { json } = await room.api("ann", "POST", `/reports/${id}/decision`, { verdict, comment: "Looked at it." });
      expect(json).toMatchObject({ status: "closed", decision: verdict, decided_by: ann, llm_verdict: null });
      expect(json.closed_at).toBe(json.decided_at);
      expect(room.suggested.length).toBe(count);
      const [record] = await room.records("report.decide");
      expect(record?.actor.user_id).toBe(ann);
      expect(record?.change?.detail).toMatchObject({ verdict, comment: "Looked at it.", alone: false });
    });
  });

  test("can be made before, while and after a model judges, and not twice", async () => {
    verifies("reviewer.people");
    await desk(async (room, { eve }) => {
      for (const status of ["submitted", "reviewing", "reviewed", "needs_human"] as const) {
        const id = await room.report(TEXT, { user_id: eve, status });
        const path = `/reports/${id}/decision`;
        expect((await room.api("rob", "POST", path, { verdict: "true_positive" })).status).toBe(200);
        const again = await room.api("ada", "POST", path, { verdict: "false_positive" });
        expect([again.status, again.json.error.code]).toEqual([409, "state_conflict"]);
        await room.jobs.tick();
        expect(await room.byId(id)).toMatchObject({ status: "closed", decision: "true_positive", llm_verdict: null });
      }
      const withdrawn = await room.report(TEXT, { user_id: eve, status: "withdrawn" });
      const late = await room.api("rob", "POST", `/reports/${withdrawn}/decision`, { verdict: "true_positive" });
      expect(late.status).toBe(409);
    });
  });

  test("is nobody's who is not at the desk, and not the reporter's", async () => {
    verifies("reviewer.people");
    await desk(async (room, { eve, rob, ada }) => {
      const decide = async (who: string, id: string, body: object = { verdict: "false_positive", comment: "Mine." }) =>
        (await room.api(who, "POST", `/reports/${id}/decision`, body)).status;
      const id = await room.report(TEXT, { user_id: eve });
      expect(await decide("eve", id)).toBe(403);
      expect(await decide("aud", id)).toBe(403);
      expect(await decide("bob", id)).toBe(404);
      expect(await decide("rob", await room.report(TEXT, { user_id: rob }))).toBe(403);
      expect(await decide("ada", await room.report(TEXT, { user_id: ada }))).toBe(403);
      for (const body of [{}, { verdict: "benign" }, { verdict: "true_positive", apply: true }]) {
        expect(await decide("rob", id, body)).toBe(400);
      }
      expect(room.suggested).toEqual([]);
    });
  });

  test("on one's own report is a sole administrator's, with a reason, on record", async () => {
    verifies("reviewer.people");
    await using place = new Place();
    await using room = new ReviewRoom(await place.open(), { url: null });
    const { id: ada } = await room.person("ada", "admin");
    await room.person("eve", "member");
    const { id: rob } = await room.person("rob", "reviewer");
    await room.store.users.update(rob, { state: "disabled" }, someRecord());
    const id = await room.report(TEXT, { user_id: ada });
    const decide = (body: object) => room.api("ada", "POST", `/reports/${id}/decision`, body);
    expect((await decide({ verdict: "false_positive" })).json.error.code).toBe("approval_required");
    expect((await decide({ verdict: "false_positive", comment: "Nobody else is there." })).status).toBe(200);
    expect((await room.records("report.decide"))[0]?.change?.detail).toMatchObject({ alone: true });
  });

  test("holds though its suggestion cannot be made now; that is tried again", async () => {
    verifies("reviewer.no-change", "reviewer.jobs");
    await desk(async (room, { eve }) => {
      const { id } = await room.reviewed(TEXT, { user_id: eve });
      room.stop = new Error("no replay now");
      const path = `/reports/${id}/decision`;
      expect((await room.api("rob", "POST", path, { verdict: "false_positive" })).status).toBe(200);
      room.stop = null;
      await room.jobs.tick();
      expect(room.suggested).toEqual([id]);
    });
  });
});

test("without a reviewer its state says so", async () => {
  await desk(async (room) => {
    expect((await room.api("ann", "GET", "/reviewer")).json).toMatchObject({ model: null, is_paused: false });
    expect((await room.api("eve", "GET", "/reviewer")).status).toBe(403);
    expect((await room.api("ada", "POST", "/reviewer/resume", { reason: "x" })).status).toBe(409);
  });
});
