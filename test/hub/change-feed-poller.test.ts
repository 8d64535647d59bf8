import { expect, test } from "bun:test";
import { Dispatcher } from "#guard/dispatcher";
import { ChangeFeedPoller } from "#hub/change-feed-poller";
import { ProviderRouting } from "#hub/provider-routing";
import { PrincipalCache } from "#identity/principal-cache";
import type { ChangeFeed, FeedChanges } from "#store/port";
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
  async changesSince(): Promise<FeedChanges> {
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
      prices: null,
      budgets: null,
      hook_sources: null,
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
  const feedPoller = new ChangeFeedPoller({
    now: Date.now,
    changes: feed,
    principals: new PrincipalCache(Date.now),
    changeSubscribers: [
      {
        apply: ({ revision }) => {
          taken = revision;
        },
      },
    ],
    onPolled: () => {},
    processId: "p1",
  });
  await feedPoller.refresh();
  expect(taken).toBe(1);
  for (let change = 2; change <= 20; change += 1) {
    const early = feedPoller.refresh();
    await Bun.sleep(change % 7);
    feed.at = change;
    await feedPoller.refresh();
    expect(taken).toBe(change);
    await early;
  }
  const before = feed.asked;
  // However many ask meanwhile, there is one more look.
  await Promise.all(Array.from({ length: 50 }, () => feedPoller.refresh()));
  expect(feed.asked - before).toBe(2);
});

const KIND = { kind: "openai", apis: null, aliases: {}, credential: { source: "key" } } as const;

test("a provider that cannot be connected keeps no restriction from being taken in, and is asked for again", async () => {
  verifies("kill.at-once");
  const feed = new SlowFeed();
  const row = { id: "p", name: "p", base_url: "x", models: [], sealed_key: "v1.x", priority: 1, created_at: 0 };
  const changesSince = async () => ({
    ...(await new SlowFeed().changesSince()),
    providers: [{ ...row, given_by: "operator" as const, ...KIND }],
  });
  let isBroken = true;
  const seen = { taken: 0, heard: 0 };
  const feedPoller = new ChangeFeedPoller({
    now: Date.now,
    changes: Object.assign(feed, { changesSince }),
    principals: new PrincipalCache(Date.now),
    changeSubscribers: [
      {
        apply: () => {
          seen.taken += 1;
        },
      },
      new ProviderRouting({
        dispatcher: dispatcher(),
        connect: ({ name, models, priority }) => {
          if (isBroken) throw new Error("its key does not open");
          return { name, models, priority, apis: new Set(["chat"] as const), upstream: new EchoUpstream() };
        },
        builtIn: [],
      }),
    ],
    onPolled: () => {
      seen.heard += 1;
    },
    processId: "p1",
  });
  for (let tries = 1; tries <= 3; tries += 1) {
    await expect(feedPoller.refresh()).rejects.toThrow("does not open");
    expect(seen).toEqual({ taken: tries, heard: 0 });
  }
  isBroken = false;
  await feedPoller.refresh();
  expect(seen).toEqual({ taken: 4, heard: 1 });
});

test("only providers that changed are connected anew", async () => {
  verifies("sync.only-changes");
  const feed = new SlowFeed();
  const base = { base_url: "x", models: ["m"], sealed_key: null, priority: 1, created_at: 0 };
  const rows = ["a", "b", "c"].map((name) => ({ ...base, id: name, name, given_by: "operator" as const, ...KIND }));
  let served = rows;
  const changesSince = async () => ({
    ...(await new SlowFeed().changesSince()),
    revision: feed.at,
    providers: structuredClone(served),
  });
  const connected: string[] = [];
  const route = dispatcher();
  const feedPoller = new ChangeFeedPoller({
    now: Date.now,
    changes: Object.assign(feed, { changesSince }),
    principals: new PrincipalCache(Date.now),
    changeSubscribers: [
      new ProviderRouting({
        dispatcher: route,
        connect: ({ name, models, priority }) => {
          connected.push(name);
          return { name, models, priority, apis: new Set(["chat"] as const), upstream: new EchoUpstream() };
        },
        builtIn: [],
      }),
    ],
    onPolled: () => {},
    processId: "p1",
  });
  const after = async (next: typeof rows): Promise<string[]> => {
    served = next;
    feed.at += 1;
    connected.length = 0;
    await feedPoller.refresh();
    expect(route.all().map(({ name }) => name)).toEqual(next.map(({ name }) => name));
    return [...connected];
  };
  expect(await after(rows)).toEqual(["a", "b", "c"]);
  expect(await after(rows.map((row) => (row.id === "b" ? { ...row, models: ["n"] } : row)))).toEqual(["b"]);
  expect(route.route("n").map(({ name }) => name)).toEqual(["b"]);
  expect(await after(rows.slice(1))).toEqual(["b"]);
  expect(await after(rows)).toEqual(["a"]);
});

/** A poller over a feed that can be told to be silent, or to fail. */
const pollerOver = (feed: SlowFeed) =>
  new ChangeFeedPoller({
    now: Date.now,
    changes: feed,
    principals: new PrincipalCache(Date.now),
    changeSubscribers: [],
    onPolled: () => {},
    processId: "p1",
  });

test("a call that comes when nothing was heard for a second waits until the store has answered, and no other does", async () => {
  verifies("cluster.recent");
  const feed = new SlowFeed();
  const poller = pollerOver(feed);
  expect(poller.recent()).not.toBeNull();
  await poller.recent();
  const asked = feed.asked;
  expect(poller.recent()).toBeNull();
  await Bun.sleep(1_050);
  const waiting = [poller.recent(), poller.recent(), poller.recent()];
  expect(waiting).not.toContain(null);
  await Promise.all(waiting);
  expect([feed.asked - asked, poller.recent()]).toEqual([1, null]);
});

test("a store that is away is waited for once; one that says that something has changed, until that is taken in", async () => {
  verifies("cluster.recent");
  const feed = new SlowFeed();
  const poller = pollerOver(feed);
  await poller.refresh();
  const { revision, changesSince } = feed;
  let answer = (): void => {};
  const silence = new Promise<void>((resolve) => {
    answer = resolve;
  });
  feed.revision = async () => {
    await silence;
    return 2;
  };
  await Bun.sleep(1_050);
  const began = performance.now();
  await poller.recent();
  expect(performance.now() - began).toBeGreaterThan(1_900);
  // It is away: who comes now is served by what is known.
  expect(poller.recent()).toBeNull();
  feed.revision = revision;
  answer();
  await poller.refresh();
  let isTakenIn = false;
  feed.at = 3;
  feed.changesSince = async () => {
    await Bun.sleep(2_500);
    isTakenIn = true;
    return { ...(await changesSince.call(feed)), revision: 3 };
  };
  await Bun.sleep(1_050);
  await poller.recent();
  expect(isTakenIn).toBe(true);
  feed.revision = () => Promise.reject(new Error("it is gone"));
  await Bun.sleep(1_050);
  const refused = performance.now();
  await poller.recent();
  expect(performance.now() - refused).toBeLessThan(1_900);
  expect(poller.recent()).toBeNull();
}, 120_000);
