import { expect, test } from "bun:test";
import fc from "fast-check";
import { type HeldCall, HOLD_MS, Holds, holdPurpose } from "#guard/enforcement/holds";
import type { Hold } from "#model/hold";
import type { HoldStore } from "#store/governance-port";
import { failure } from "#test/store/contract";
import { Place } from "#test/store/directory";
import { withAgents } from "#test/store/governed";
import { someRecord } from "#test/store/records";
import { verifies } from "#test/support/verifies";

const CALL: HeldCall = {
  agent_id: "a1",
  user_id: "u1",
  tool: "files__send",
  arguments: { to: "ann", parts: [1, { b: 2, a: null }] },
  cause: "human_approval",
  layer: "profile v1",
  event_id: "e1",
  pin: null,
  at: "gateway",
};

/** Holds on a clock and ids of their own, over a store on disk. */
class HoldsFixture {
  now = 1_750_000_000_000;
  readonly sealed = new Map<string, string>();
  readonly holds: Holds;
  private next = 0;

  constructor(
    readonly store: HoldStore,
    name = "id",
  ) {
    this.holds = new Holds({
      holds: store,
      seal: (purpose, secret) => {
        this.sealed.set(purpose, secret);
        return `sealed for ${purpose}`;
      },
      now: () => this.now,
      ids: () => {
        this.next += 1;
        return `${name}-${this.next}`;
      },
    });
  }

  async held(call: Partial<HeldCall> = {}): Promise<Hold> {
    const decision = await this.holds.check({ ...CALL, ...call });
    if (decision === "passes") throw new Error("it passed");
    return decision.held;
  }

  async approve({ id }: Hold): Promise<void> {
    const isDone = await this.store.decide(id, { state: "approved", by: "u1", at: this.now }, someRecord());
    expect(isDone).toBe(true);
  }
}

const withHolds = async (work: (service: HoldsFixture) => Promise<void>): Promise<void> => {
  await using place = new Place();
  const store = await place.open();
  await withAgents(store);
  await work(new HoldsFixture(store.holds));
};

test("text and object, and names in any order, are one call; anything else is another", async () => {
  verifies("hold.once");
  await withHolds(async (service) => {
    const first = await service.held();
    for (const same of ['{"parts":[1,{"a":null,"b":2}],"to":"ann"}', { parts: [1, { a: null, b: 2 }], to: "ann" }]) {
      expect((await service.held({ arguments: same })).id).toBe(first.id);
    }
    const others: Partial<HeldCall>[] = [
      { arguments: { to: "ann", parts: [{ b: 2, a: null }, 1] } },
      { arguments: { to: "ann", parts: [1, { b: 2 }] } },
      { arguments: { to: "ann", parts: [1, { b: "2", a: null }] } },
      { arguments: "{}" },
      { arguments: "no JSON" },
      { tool: "files__sent" },
      { agent_id: "a2", user_id: "u2" },
    ];
    const ids = new Set([first.id]);
    for (const other of others) ids.add((await service.held(other)).id);
    expect(ids.size).toBe(others.length + 1);
    expect((await service.held({ arguments: undefined })).id).toBe((await service.held({ arguments: {} })).id);
  });
});

/** The same value with the names of every object the other way round. */
const turned = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(turned);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([name, inner]): [string, unknown] => [name, turned(inner)]);
  return Object.fromEntries(entries.reverse());
};

test("whatever the arguments, their order decides nothing and their values everything", async () => {
  verifies("hold.once");
  const seen: Hold[] = [];
  const store: Pick<HoldStore, "ofCall" | "create"> = {
    ofCall: async (_agent, hash) => seen.find(({ call_hash }) => call_hash === hash) ?? null,
    create: async (hold) => void seen.push(hold),
  };
  let now = 0;
  const holds = new Holds({
    holds: {
      ...store,
      use: never,
      release: never,
      releasedOf: never,
      byId: never,
      page: never,
      waiting: never,
      approvedOf: never,
      decide: never,
    },
    seal: () => "",
    now: () => {
      now += HOLD_MS;
      return now;
    },
    ids: () => `${now}`,
  });
  const hashOf = async (given: unknown): Promise<string> => {
    const decision = await holds.check({ ...CALL, arguments: given });
    return decision === "passes" ? "" : decision.held.call_hash;
  };
  const args = fc.dictionary(fc.string(), fc.jsonValue());
  await fc.assert(
    fc.asyncProperty(args, args, async (one, other) => {
      expect(await hashOf(turned(one))).toBe(await hashOf(one));
      expect(await hashOf(JSON.stringify(one))).toBe(await hashOf(one));
      const isSame = Bun.deepEquals(JSON.parse(JSON.stringify(one)), JSON.parse(JSON.stringify(other)));
      expect((await hashOf(one)) === (await hashOf(other))).toBe(isSame);
    }),
  );
});

const never = (): Promise<never> => Promise.reject(new Error("not asked for here"));

test("one approval lets one call through, however many come at once", async () => {
  verifies("hold.once");
  await withHolds(async (service) => {
    const held = await service.held();
    expect((await service.holds.approvedFor("a1")).has(CALL)).toBe(false);
    await service.approve(held);
    const approvals = await service.holds.approvedFor("a1");
    expect([
      approvals.has({ ...CALL, arguments: JSON.stringify(CALL.arguments) }),
      approvals.has({ ...CALL, arguments: {} }),
    ]).toEqual([true, false]);
    expect((await service.holds.approvedFor("a2")).has(CALL)).toBe(false);
    const all = await Promise.all(Array.from({ length: 10 }, () => service.holds.check(CALL)));
    expect(all.filter((one) => one === "passes")).toHaveLength(1);
    const waiting = new Set(all.map((one) => (one === "passes" ? "" : one.held.id)));
    expect([waiting.size, waiting.has(held.id)]).toEqual([2, false]);
  });
});

test("neither a wait nor an approval lasts longer than a quarter of an hour", async () => {
  verifies("hold.expires");
  await withHolds(async (service) => {
    const first = await service.held();
    expect(first.expires_at - first.created_at).toBe(15 * 60_000);
    service.now += HOLD_MS - 1;
    expect((await service.held()).id).toBe(first.id);
    await service.approve(first);
    service.now += 1;
    const second = await service.held();
    expect(second.id).not.toBe(first.id);
    expect(service.sealed.get(holdPurpose(second.id))).toBe(JSON.stringify(CALL.arguments));
    expect(second.sealed_arguments).toBe(`sealed for hold ${second.id}`);
  });
});

test("an agent cannot fill the list", async () => {
  verifies("hold.bounded");
  await withHolds(async (service) => {
    for (let call = 0; call < 100; call += 1) await service.held({ arguments: { call } });
    const error = await failure(service.held({ arguments: { call: 100 } }));
    expect(error).toMatchObject({ code: "rate_limit_exceeded" });
    // Those that wait already still do, and other agents' too.
    expect((await service.held({ arguments: { call: 7 } })).state).toBe("waiting");
    expect((await service.held({ agent_id: "a2", user_id: "u2" })).state).toBe("waiting");
    service.now += HOLD_MS;
    expect((await service.held({ arguments: { call: 100 } })).state).toBe("waiting");
  });
});

test("two streams that began with the same approval do not both take it", async () => {
  verifies("hold.once");
  await withHolds(async (service) => {
    await service.approve(await service.held());
    const [one, other] = [await service.holds.approvedFor("a1"), await service.holds.approvedFor("a1")];
    expect([one.has(CALL), other.has(CALL)]).toEqual([true, true]);
    expect([one.use(CALL), other.use(CALL)]).toEqual([true, false]);
    expect((await service.holds.approvedFor("a1")).has(CALL)).toBe(false);
    expect(await service.holds.check(CALL)).toBe("passes");
  });
});

test("of several processes that let the same approved call through one uses it up, and the others hold it", async () => {
  verifies("hold.once");
  await using place = new Place();
  const stores = [await place.open(), await place.open(), await place.open()];
  const [first] = stores;
  if (!first) throw new Error("no store");
  await withAgents(first);
  const services = stores.map((store, at) => new HoldsFixture(store.holds, `process-${at}`));
  const [one] = services;
  if (!one) throw new Error("no process");
  await one.approve(await one.held());
  // Streams that began at each of them: the approval is there for all.
  const approvals = await Promise.all(services.map(({ holds }) => holds.approvedFor("a1")));
  expect(approvals.map((it) => it.use(CALL))).toEqual([true, true, true]);
  const decisions = await Promise.all(services.map(({ holds }) => holds.check(CALL)));
  expect(decisions.filter((decision) => decision === "passes")).toHaveLength(1);
  for (const decision of decisions) if (decision !== "passes") expect(decision.held.state).toBe("waiting");
});

const ANSWERED: HeldCall = { ...CALL, pin: "server send v1", at: "answer" };
const CALLED: HeldCall = { ...ANSWERED, at: "gateway" };

test("what was approved in an answer passes there once, and once at the gateway, for five minutes", async () => {
  verifies("hold.once-for-both");
  await withHolds(async (service) => {
    await service.approve(await service.held(ANSWERED));
    expect(await service.holds.check(ANSWERED)).toBe("passes");
    // Another answer with the same call is another act.
    expect((await service.held(ANSWERED)).state).toBe("waiting");
    expect(await service.holds.check(CALLED)).toBe("passes");
    expect((await service.held(CALLED)).state).toBe("waiting");
    service.now += HOLD_MS;
    await service.approve(await service.held(ANSWERED));
    expect(await service.holds.check(ANSWERED)).toBe("passes");
    service.now += 5 * 60_000;
    expect((await service.held(CALLED)).state).toBe("waiting");
  });
});

test("an approval made in an answer is none for another definition, tool, agent or arguments, nor for a function of the client's", async () => {
  verifies("hold.once-for-both");
  const other: fc.Arbitrary<Partial<HeldCall>> = fc.oneof(
    fc.record({ pin: fc.oneof(fc.constant(null), fc.string()) }),
    fc.record({ tool: fc.string() }),
    fc.constant({ agent_id: "a2", user_id: "u2" }),
    fc.record({ arguments: fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 3 }) }),
  );
  await withHolds(async (service) => {
    await service.approve(await service.held(ANSWERED));
    expect(await service.holds.check(ANSWERED)).toBe("passes");
    await fc.assert(
      fc.asyncProperty(other, async (change) => {
        fc.pre(!Object.entries(change).every(([name, value]) => Bun.deepEquals(Object(ANSWERED)[name], value)));
        service.now += 1;
        expect((await service.held({ ...CALLED, ...change })).state).toBe("waiting");
      }),
      { numRuns: 40 },
    );
    expect(await service.holds.check(CALLED)).toBe("passes");
    // The client's own function of that name, let through in an answer, is nothing at the gateway.
    service.now += HOLD_MS;
    const own = { ...ANSWERED, pin: null };
    await service.approve(await service.held(own));
    expect((await service.held(CALLED)).state).toBe("waiting");
    expect(await service.holds.check(own)).toBe("passes");
    expect((await service.held(CALLED)).state).toBe("waiting");
  });
});

test("of several processes one answer and one call pass on an approval, in any order and at once", async () => {
  verifies("hold.once-for-both");
  await using place = new Place();
  const stores = [await place.open(), await place.open(), await place.open()];
  const services = stores.map((store, at) => new HoldsFixture(store.holds, `process-${at}`));
  const [first, one] = [stores[0], services[0]];
  if (!first || !one) throw new Error("no process");
  await withAgents(first);
  await one.approve(await one.held(ANSWERED));
  const passed = async (call: HeldCall): Promise<number> => {
    const decisions = await Promise.all(services.map(({ holds }) => holds.check(call)));
    return decisions.filter((decision) => decision === "passes").length;
  };
  expect([await passed(ANSWERED), await passed(CALLED), await passed(CALLED)]).toEqual([1, 1, 0]);
});
