import { expect, test } from "bun:test";
import { Directory } from "#engine/directory";
import { Dispatcher } from "#engine/dispatcher";
import { Sync } from "#engine/sync";
import type { ChangeFeed, DirectoryChanges } from "#store/port";
import { verifies } from "#test/support/verifies";
import { EchoUpstream } from "#upstream/echo";

const NOTHING = { users: [], agents: [], tokens: [], sessions: [], providers: null, tools: null };

/** A feed whose answers take their time: what it says was true when it was asked. */
class SlowFeed implements ChangeFeed {
  at = 1;
  asked = 0;

  async revision(): Promise<number> {
    this.asked += 1;
    const { at } = this;
    await Bun.sleep(5);
    return at;
  }
  async changesSince(): Promise<DirectoryChanges> {
    const { at } = this;
    await Bun.sleep(5);
    return {
      ...NOTHING,
      revision: at,
      profiles: [],
      restrictions: [],
      kill_switches: [],
      tuning: [],
      policy: null,
    };
  }
  acknowledge(): Promise<boolean> {
    return Promise.resolve(true);
  }
  acknowledged(): Promise<null> {
    return Promise.resolve(null);
  }
  forget(): Promise<void> {
    return Promise.resolve();
  }
}

const dispatcher = () =>
  new Dispatcher({ retries: 0, retryBaseMs: 1, maxConcurrent: 1, sleep: async () => {}, random: () => 0 });

test("a change made while a look is under way holds when its own refresh has ended", async () => {
  verifies("kill.at-once");
  const feed = new SlowFeed();
  let taken = 0;
  const sync = new Sync({
    now: Date.now,
    changes: feed,
    directory: new Directory(Date.now),
    dispatcher: dispatcher(),
    connect: () => {
      throw new Error("there are no providers here");
    },
    builtIn: [],
    takeTools: () => {},
    takers: [
      {
        take: ({ revision }) => {
          taken = revision;
        },
      },
    ],
    onHeard: () => {},
    processId: "p1",
  });
  await sync.refresh();
  expect(taken).toBe(1);
  for (let change = 2; change <= 20; change += 1) {
    const early = sync.refresh();
    await Bun.sleep(change % 7);
    feed.at = change;
    await sync.refresh();
    expect(taken).toBe(change);
    await early;
  }
  const before = feed.asked;
  // However many ask meanwhile, there is one more look.
  await Promise.all(Array.from({ length: 50 }, () => sync.refresh()));
  expect(feed.asked - before).toBe(2);
});

test("a provider that cannot be connected keeps no restriction from being taken in, and is asked for again", async () => {
  verifies("kill.at-once");
  const feed = new SlowFeed();
  const row = { id: "p", name: "p", base_url: "x", models: [], sealed_key: "v1.x", priority: 1, created_at: 0 };
  const changesSince = async () => ({
    ...(await new SlowFeed().changesSince()),
    providers: [{ ...row, given_by: "operator" as const }],
  });
  let isBroken = true;
  const seen = { taken: 0, heard: 0 };
  const sync = new Sync({
    now: Date.now,
    changes: Object.assign(feed, { changesSince }),
    directory: new Directory(Date.now),
    dispatcher: dispatcher(),
    connect: ({ name, models, priority }) => {
      if (isBroken) throw new Error("its key does not open");
      return { name, models, priority, upstream: new EchoUpstream() };
    },
    builtIn: [],
    takeTools: () => {},
    takers: [
      {
        take: () => {
          seen.taken += 1;
        },
      },
    ],
    onHeard: () => {
      seen.heard += 1;
    },
    processId: "p1",
  });
  for (let tries = 1; tries <= 3; tries += 1) {
    await expect(sync.refresh()).rejects.toThrow("does not open");
    expect(seen).toEqual({ taken: tries, heard: 0 });
  }
  isBroken = false;
  await sync.refresh();
  expect(seen).toEqual({ taken: 4, heard: 1 });
});

test("only providers that changed are connected anew", async () => {
  verifies("sync.only-changes");
  const feed = new SlowFeed();
  const base = { base_url: "x", models: ["m"], sealed_key: null, priority: 1, created_at: 0 };
  const rows = ["a", "b", "c"].map((name) => ({ ...base, id: name, name, given_by: "operator" as const }));
  let served = rows;
  const changesSince = async () => ({
    ...(await new SlowFeed().changesSince()),
    revision: feed.at,
    providers: structuredClone(served),
  });
  const connected: string[] = [];
  const route = dispatcher();
  const sync = new Sync({
    now: Date.now,
    changes: Object.assign(feed, { changesSince }),
    directory: new Directory(Date.now),
    dispatcher: route,
    connect: ({ name, models, priority }) => {
      connected.push(name);
      return { name, models, priority, upstream: new EchoUpstream() };
    },
    builtIn: [],
    takeTools: () => {},
    takers: [],
    onHeard: () => {},
    processId: "p1",
  });
  const after = async (next: typeof rows): Promise<string[]> => {
    served = next;
    feed.at += 1;
    connected.length = 0;
    await sync.refresh();
    expect(route.all().map(({ name }) => name)).toEqual(next.map(({ name }) => name));
    return [...connected];
  };
  expect(await after(rows)).toEqual(["a", "b", "c"]);
  expect(await after(rows.map((row) => (row.id === "b" ? { ...row, models: ["n"] } : row)))).toEqual(["b"]);
  expect(route.route("n").map(({ name }) => name)).toEqual(["b"]);
  expect(await after(rows.slice(1))).toEqual(["b"]);
  expect(await after(rows)).toEqual(["a"]);
});
