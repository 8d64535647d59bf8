import { expect, test } from "bun:test";
import type { HookSource } from "#model/hook-source";
import type { ContractStore, Lend } from "#test/store/contract";
import { someRecord } from "#test/store/records";
import { traces, withServers } from "#test/store/tool-servers";
import { verifies } from "#test/support/verifies";

const SOURCE: HookSource = {
  ...{ id: "h1", name: "claude", kind: "anthropic", user_id: "u1", agent_id: "a1" },
  settings: { applications: { "claude-code": "a1" }, redact: "deny", budget_ms: 4_500 },
  ...{ sealed_secrets: ["sealed 1"], token_id: null, created_by: null, created_at: 10 },
};

const add = (store: ContractStore, more: Partial<HookSource> = {}, most = 10) =>
  store.hookSources.add({ ...SOURCE, ...more }, someRecord(), most);

/** What every store must do for systems that ask for verdicts. */
export const hookSourceContract = (name: string, lend: Lend): void => {
  const it = (title: string, use: (store: ContractStore) => Promise<void>) =>
    test(`${name}: ${title}`, () => {
      verifies("verdicts.source-settings");
      return lend(async (store) => {
        await withServers(store);
        return use(store);
      });
    });

  it("keeps sources by name, each name once, and no more than there may be", async (store) => {
    expect(await add(store)).toBe("done");
    const before = await traces(store);
    expect(await add(store, { id: "h2" })).toBe("taken");
    expect(await add(store, { id: "h2", name: "other" }, 1)).toBe("full");
    expect(await traces(store)).toEqual(before);
    expect(await add(store, { id: "h2", name: "a first", agent_id: null })).toBe("done");
    expect((await store.hookSources.list()).map(({ id }) => id)).toEqual(["h2", "h1"]);
    expect((await store.hookSources.list())[1]).toEqual(SOURCE);
  });

  it("replaces secrets that are still those that were read, and removes a source once", async (store) => {
    await add(store);
    const next = ["sealed 2", "sealed 1"];
    expect(await store.hookSources.replaceSecrets(SOURCE, next, someRecord())).toBe(true);
    expect(await store.hookSources.replaceSecrets(SOURCE, ["sealed 3"], someRecord())).toBe(false);
    expect((await store.hookSources.list())[0]?.sealed_secrets).toEqual(next);
    expect(await store.hookSources.remove("h1", someRecord())).toBe(true);
    expect(await store.hookSources.remove("h1", someRecord())).toBe(false);
    expect(await store.hookSources.replaceSecrets(SOURCE, next, someRecord())).toBe(false);
  });

  it("tells serving processes all of them when one has changed", async (store) => {
    const since = await store.changes.revision();
    expect((await store.changes.changesSince(since)).hook_sources).toBeNull();
    await add(store);
    expect((await store.changes.changesSince(since)).hook_sources).toEqual([SOURCE]);
    await store.hookSources.remove("h1", someRecord());
    expect((await store.changes.changesSince(since)).hook_sources).toEqual([]);
    expect((await store.changes.changesSince(await store.changes.revision())).hook_sources).toBeNull();
  });
};
