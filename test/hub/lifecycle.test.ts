import { describe, expect, test } from "bun:test";
import { metricsText } from "#core/metrics";
import { Events } from "#features/webhooks/events";
import { type ChangeSubscriber, type Feature, feature } from "#hub/feature";
import { HubLifecycle, Listeners } from "#hub/lifecycle";
import { Scheduler } from "#hub/scheduler";
import type { AuditRecord } from "#model/audit";
import type { HubEvent } from "#model/event";
import { jsonLog } from "#platform/log";

class Parts {
  readonly logs: string[] = [];
  /** What other processes do. */
  readonly elsewhere = new Set<string>();
  readonly log = jsonLog("debug", (line) => void this.logs.push(line), Date.now);
  readonly scheduler = new Scheduler({
    log: this.log,
    random: () => 1,
    nodes: {
      holds: async (name) => !this.elsewhere.has(name),
      holdsHere: async (name) => !this.elsewhere.has(`here: ${name}`),
    },
  });
  readonly callEnded = new Listeners<AuditRecord>();
  readonly changeSubscribers = new Set<ChangeSubscriber>();
  readonly events = new Events();
  readonly told: string[] = [];
}

const running = (...features: readonly Feature[]) => {
  const parts = new Parts();
  return { parts, lifecycle: new HubLifecycle(parts, features) };
};

const until = async (isSo: () => boolean): Promise<void> => {
  while (!isSo()) await Bun.sleep(1);
};

type Told = { readonly told: string[] };
const stopping = (name: string) => feature({ stop: (c: Told) => async () => void c.told.push(name) });

describe("jobs", () => {
  test("nothing runs before the hub is started, and nothing after it has stopped", async () => {
    let runs = 0;
    const { lifecycle } = running(feature({ jobs: () => [{ name: "count", everyMs: 5, run: () => void runs++ }] }));
    await Bun.sleep(20);
    expect(runs).toBe(0);
    lifecycle.start();
    await until(() => runs > 2);
    await lifecycle.stop();
    const before = runs;
    await Bun.sleep(20);
    expect(runs).toBe(before);
  });

  test("what begins at the start waits until the hub is ready, and is left out where it is stopped before", async () => {
    const begun: string[] = [];
    const begins = (name: string) =>
      running(feature({ jobs: () => [{ name, everyMs: 60_000, atStart: true, run: () => void begun.push(name) }] }));
    const [one, other] = [begins("one").lifecycle, begins("other").lifecycle];
    const ready = Promise.withResolvers<void>();
    one.start(ready.promise);
    other.start(ready.promise);
    expect(begun).toEqual([]);
    await other.stop();
    ready.resolve();
    await until(() => begun.length > 0);
    expect(begun).toEqual(["one"]);
    await one.stop();
  });

  test("what another process does is not done here, until that one is dead", async () => {
    const runs = { one: 0, each: 0 };
    const jobs = () => [
      { name: "one", everyMs: 5, singleton: true, run: () => void runs.one++ } as const,
      { name: "each", everyMs: 5, run: () => void runs.each++ },
    ];
    const { parts, lifecycle } = running(feature({ jobs }));
    parts.elsewhere.add("one");
    lifecycle.start();
    await until(() => runs.each > 2);
    expect(runs.one).toBe(0);
    parts.elsewhere.clear();
    await until(() => runs.one > 2);
    await lifecycle.stop();
  });

  test("one that fails is logged and counted, run again, and stops no other", async () => {
    const runs = { bad: 0, worse: 0, good: 0 };
    const { parts, lifecycle } = running(
      feature({
        jobs: () => [
          {
            name: "bad",
            everyMs: 5,
            run: () => {
              runs.bad += 1;
              throw new TypeError("secret words");
            },
          },
          {
            name: "worse",
            everyMs: 5,
            run: async () => {
              runs.worse += 1;
              throw new Error("fault");
            },
          },
          { name: "good", everyMs: 5, run: () => void runs.good++ },
        ],
      }),
    );
    lifecycle.start();
    await until(() => Object.values(runs).every((count) => count > 2));
    await lifecycle.stop();
    expect(JSON.parse(parts.logs[0] ?? "")).toMatchObject({ event: "task.failed", task: "bad", cause: "TypeError" });
    expect(parts.logs.join()).not.toContain("secret");
    const text = metricsText(parts.scheduler.metrics());
    expect(text).toContain(`guardhouse_job_runs_total{job="bad",outcome="failed"} ${runs.bad}`);
    expect(text).toContain(`guardhouse_job_runs_total{job="worse",outcome="failed"} ${runs.worse}`);
    expect(text).toContain(`guardhouse_job_runs_total{job="good",outcome="done"} ${runs.good}`);
  });

  test("one that has not ended is not begun again unless it says so", async () => {
    const begun = { alone: 0, many: 0 };
    const begin = (which: keyof typeof begun) => () => {
      begun[which] += 1;
      return new Promise(() => {});
    };
    const { lifecycle } = running(
      feature({
        jobs: () => [
          { name: "alone", everyMs: 5, run: begin("alone") },
          { name: "many", everyMs: 5, overlaps: true, run: begin("many") },
        ],
      }),
    );
    lifecycle.start();
    await until(() => begun.many > 2);
    await lifecycle.stop();
    expect(begun.alone).toBe(1);
  });

  test("one that is due rarely may begin at the start, and then somewhat early so that jobs spread", async () => {
    const events: string[] = [];
    const { lifecycle } = running(
      feature({
        jobs: () => [
          { name: "at start", everyMs: 3_600_000, atStart: true, run: () => events.push("at start") },
          { name: "early", everyMs: 1_000, run: () => events.push("early") },
        ],
      }),
    );
    lifecycle.start();
    await until(() => events.length > 0);
    expect(events).toEqual(["at start"]);
    const began = performance.now();
    await until(() => events.at(-1) === "early");
    expect(performance.now() - began).toBeGreaterThan(850);
    await lifecycle.stop();
  });
});

describe("stopping", () => {
  test("goes in reverse order, each after the one before", async () => {
    const slow = feature({
      stop: (c: Told) => async () => {
        await Bun.sleep(10);
        c.told.push("second");
      },
    });
    const { parts, lifecycle } = running(stopping("first"), slow, feature({}), stopping("third"));
    await lifecycle.stop();
    expect(parts.told).toEqual(["third", "second", "first"]);
  });

  test("goes on where one fails, and says so at the end", async () => {
    const failing = feature({ stop: () => () => Promise.reject(new Error("disk full")) });
    const { parts, lifecycle } = running(stopping("first"), failing, stopping("third"));
    await expect(lifecycle.stop()).rejects.toThrow("disk full");
    expect(parts.told).toEqual(["third", "first"]);
    expect(parts.logs.join()).toContain('"task":"stop"');
  });

  test("jobs go on while the hub takes nothing new any more", async () => {
    let runs = 0;
    const { parts, lifecycle } = running(
      feature({
        jobs: () => [{ name: "count", everyMs: 5, run: () => void runs++ }],
        quiesce: (c: Told) => () => void c.told.push("quiet"),
      }),
      stopping("stopped"),
    );
    lifecycle.start();
    await lifecycle.quiesce();
    expect(parts.told).toEqual(["quiet"]);
    const before = runs;
    await until(() => runs > before + 1);
    await lifecycle.stop();
    expect(parts.told).toEqual(["quiet", "stopped"]);
  });
});

describe("listeners", () => {
  test("are subscribed in the order of the features, before anything starts", async () => {
    const listening = (name: string) =>
      feature({
        onCallEnded: (c: Told) => () => void c.told.push(`${name}: call`),
        onChange: (c: Told) => ({ apply: () => void c.told.push(`${name}: change`) }),
        onEvent: (c: Told) => async () => void c.told.push(`${name}: event`),
      });
    const { parts } = running(listening("one"), listening("two"));
    parts.callEnded.tell({} as never);
    for (const subscriber of parts.changeSubscribers) subscriber.apply({} as never);
    await parts.events.emit({} as HubEvent);
    const each = (what: string) => [`one: ${what}`, `two: ${what}`];
    expect(parts.told).toEqual([...each("call"), ...each("change"), ...each("event")]);
  });

  test("lifecycle runs steps before serving in order", async () => {
    const preparing = (name: string) => feature({ prepare: (c: Told) => async () => void c.told.push(name) });
    const { parts, lifecycle } = running(preparing("one"), preparing("two"));
    expect(parts.told).toEqual([]);
    await lifecycle.prepare();
    expect(parts.told).toEqual(["one", "two"]);
  });
});
