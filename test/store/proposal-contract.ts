import { expect, test } from "bun:test";
import type { Proposal } from "#model/tools/proposal";
import type { ContractStore, Lend } from "#test/store/contract";
import { someRecord } from "#test/store/records";
import { FILES, traces, withServers } from "#test/store/tool-servers";
import { verifies } from "#test/support/verifies";

const proposal = (id: string, more: Partial<Proposal> = {}): Proposal => ({
  ...{ id, name: "com.example/files", version: "1.0.0", source: "a file", entry: "{}", entry_hash: "h1" },
  ...{ state: "proposed", imported_by: null, imported_at: 10, decided_by: null, decided_at: null },
  ...{ reason: null, server_id: null },
  ...more,
});

const importing = (store: ContractStore, ...proposals: Proposal[]) =>
  store.proposals.import(proposals, () => someRecord(), 3);
const stateOf = async (store: ContractStore, id: string) => (await store.proposals.byId(id))?.state;
const page = { after: null, limit: 10 };

/** What every store must do for servers of other registries. */
export const proposalContract = (name: string, lend: Lend): void => {
  const it = (title: string, use: (store: ContractStore) => Promise<void>) =>
    test(`${name}: ${title}`, () => {
      verifies("registry.proposals");
      return lend(use);
    });

  it("proposes what is new, once, and a newer form in the place of one that waits", async (store) => {
    expect(await importing(store, proposal("p1"))).toEqual({ proposed: ["p1"], unchanged: 0 });
    const before = await traces(store);
    expect(await importing(store, proposal("p2"))).toEqual({ proposed: [], unchanged: 1 });
    expect(await traces(store)).toEqual(before);
    expect(await importing(store, proposal("p3", { entry_hash: "h2" }))).toMatchObject({ proposed: ["p3"] });
    expect(await stateOf(store, "p1")).toBe("replaced");
    expect((await store.proposals.page({ state: "proposed" }, page)).map(({ id }) => id)).toEqual(["p3"]);
    expect((await store.proposals.page({ words: "FILES" }, page)).map(({ id }) => id)).toEqual(["p3", "p1"]);
    expect((await store.proposals.named("com.example/files")).map(({ id }) => id)).toEqual(["p3", "p1"]);
  });

  it("proposes all of an import or nothing, where too many would wait", async (store) => {
    const some = ["a", "b", "c", "d"].map((id) => proposal(id, { name: `com.example/${id}` }));
    expect(await importing(store, ...some)).toBe("full");
    expect(await store.proposals.page({}, page)).toEqual([]);
  });

  it("rejects what waits, and remembers it", async (store) => {
    await importing(store, proposal("p1"));
    const decision = { decided_by: null, decided_at: 20, reason: "no" };
    expect(await store.proposals.reject("p1", decision, someRecord())).toBe(true);
    expect(await store.proposals.reject("p1", decision, someRecord())).toBe(false);
    expect(await store.proposals.byId("p1")).toMatchObject({ state: "rejected", ...decision });
    expect(await importing(store, proposal("p2"))).toEqual({ proposed: [], unchanged: 1 });
  });

  it("approves with the server that is made of it, once; when that is gone it may be proposed again", async (store) => {
    await withServers(store);
    await importing(store, proposal("p1"));
    const of = { id: "p1", decided_by: "u1", decided_at: 20 };
    const server = { ...FILES, id: "s9", slug: "nine" };
    expect(await store.tools.add({ ...server, slug: FILES.slug }, someRecord(), 100, of)).toBe("taken");
    expect(await stateOf(store, "p1")).toBe("proposed");
    expect(await store.tools.add(server, someRecord(), 100, of)).toBe("done");
    expect(await store.proposals.byId("p1")).toMatchObject({ state: "approved", server_id: "s9", decided_by: "u1" });
    expect((await store.proposals.approved()).map(({ id }) => id)).toEqual(["p1"]);
    expect(await store.tools.add({ ...server, id: "s10", slug: "ten" }, someRecord(), 100, of)).toBe("decided");
    expect(await store.tools.byId("s10")).toBeNull();
    expect(await importing(store, proposal("p2"))).toEqual({ proposed: [], unchanged: 1 });
    await store.tools.remove("s9", someRecord());
    expect(await importing(store, proposal("p3"))).toEqual({ proposed: ["p3"], unchanged: 0 });
  });
};
