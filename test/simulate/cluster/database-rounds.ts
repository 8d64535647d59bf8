import { cpuMicros } from "#test/bench/cpu";
import type { WrongClock } from "./builds";
import type { Fleet } from "./fleet";
import type { HubProcess } from "./hub-process";
import { call } from "./load";
import { contained, during, type Found, found, freshToken, limited, type Round, revoked, until } from "./rounds";

/* Of hubs on one PostgreSQL: what is done to it, and to the way of a hub to it. */

/** How old what a hub knows may be before it refuses what could have been revoked meanwhile. Milliseconds. */
const STALE_AFTER_MS = 10_000;
/** What a hub may take beyond that: it looks at the time when a call comes. Milliseconds. */
const MARGIN_MS = 1_000;

/** PostgreSQL crashes under load and is started again at once: no call notices. */
export const databaseRestarted: Round = async (fleet, { times, calls }) => {
  const { cluster } = fleet.database;
  const sent = await during(fleet, async (load) => {
    for (let time = 0; time < times; time++) {
      await load.more(calls);
      await cluster.end("immediate");
      await cluster.begin();
      await load.more(calls);
    }
  });
  return found(fleet, sent);
};

const refuses = async (fleet: Fleet, hub: HubProcess, token?: string): Promise<boolean> =>
  !(await call(hub, "chat", fleet.asking(token))).isWhole;

/** PostgreSQL is gone for longer than a hub goes on without it: calls are refused then, and served when it is back. */
export const databaseAway: Round = async (fleet, { calls }) => {
  const { cluster } = fleet.database;
  const revived = revivals(fleet);
  let gone = 0;
  let back = 0;
  const sent = await during(fleet, async (load) => {
    await load.more(calls);
    await cluster.end("immediate");
    gone = performance.now();
    const calm = fleet.hubs.map((hub) => hub.disturb());
    for (const hub of fleet.hubs) await until(() => refuses(fleet, hub), "a hub that refuses");
    await Bun.sleep(Math.max(0, gone + STALE_AFTER_MS + MARGIN_MS + 2_000 - performance.now()));
    back = performance.now();
    await cluster.begin();
    for (const hub of fleet.hubs) await servesAgain(fleet, hub);
    for (const end of calm) end();
    await load.more(calls);
  });
  const stale = sent.filter(
    ({ began, isWhole }) => isWhole && began > gone + STALE_AFTER_MS + MARGIN_MS && began < back,
  );
  const faults = stale.map(({ hub, began }) => `served at ${hub} ${(began - gone).toFixed(0)} ms without PostgreSQL`);
  const early = sent.filter(
    ({ began, ended, isWhole }) => !isWhole && began > gone && ended < gone + STALE_AFTER_MS - MARGIN_MS,
  );
  const refused = early.map(({ hub, status, code }) => `refused at ${hub} before: ${status ?? "broken"} ${code ?? ""}`);
  const ended = revivals(fleet) - revived;
  const lost = ended > 0 ? [`${ended} hubs ended, though none of them was cut off alone`] : [];
  return found(fleet, sent, [...faults, ...refused, ...lost]);
};

/** One hub is cut off from PostgreSQL: the others go on, and what is revoked there dies at it as well. */
export const partitioned: Round = async (fleet, { times, calls, withinMs }) => {
  const faults: string[] = [];
  const revived = revivals(fleet);
  let worst = 0;
  const sent = await during(fleet, async (load) => {
    for (let time = 0; time < times; time++) {
      const [hub, other] = [fleet.at(time), fleet.at(time + 1)];
      const { id, token } = await freshToken(fleet);
      await load.more(calls);
      const calm = hub.disturb();
      fleet.wayOf(hub).silence();
      const cut = performance.now();
      await fleet.api(other, `/tokens/${id}/revoke`);
      await until(() => refuses(fleet, hub, token), "a hub that refuses");
      const late = performance.now() - cut;
      worst = Math.max(worst, late);
      if (late > STALE_AFTER_MS + 2 * withinMs) faults.push(`a cut off hub served ${late.toFixed(0)} ms`);
      fleet.wayOf(hub).speak();
      await servesAgain(fleet, hub);
      calm();
      if (!(await refuses(fleet, hub, token))) faults.push("what was revoked is served after the cut");
      await load.more(calls);
    }
  });
  const { faults: more, seen } = await found(fleet, sent, faults);
  const late = `cut off from it, refused after ${(worst / 1000).toFixed(1)} s at most`;
  return {
    faults: more,
    seen: `${seen}; ${late}; ${revivals(fleet) - revived} ended by themselves and were started again`,
  };
};

/**
 * A hub that was away for longer than its lease ends, and is started again as the node that it was. It hears of that when
 * it would renew its lease: until then it only seems to go on.
 */
const servesAgain = async (fleet: Fleet, hub: HubProcess): Promise<void> => {
  const back = await fleet.databaseTime();
  await until(async () => {
    await hub.revive();
    return (await fleet.hasRenewed(hub, back)) && !(await refuses(fleet, hub));
  }, "a hub that serves again");
};

const revivals = (fleet: Fleet): number => fleet.hubs.reduce((sum, { revived }) => sum + revived, 0);

const SLOW_MS = 100;

/** PostgreSQL is far away: calls go on. */
export const slow: Round = async (fleet, { calls }) => {
  const sent = await during(fleet, async (load) => {
    for (const hub of fleet.hubs) fleet.wayOf(hub).delay(SLOW_MS);
    await load.more(4 * calls);
  });
  for (const hub of fleet.hubs) fleet.wayOf(hub).speak();
  return found(fleet, sent);
};

const SKEW_SECONDS = 30;

/** The clock of one hub is ahead, of another behind: what holds otherwise holds, and no lease is lost. */
export const skewed =
  (clock: WrongClock): Round =>
  async (fleet, options) => {
    const usual = new Map(fleet.hubs.map((hub) => [hub, hub.launch]));
    const restart = async (hub: HubProcess): Promise<void> => {
      await hub.leave();
      await hub.start();
    };
    for (const [hub, seconds] of [
      [fleet.at(1), SKEW_SECONDS],
      [fleet.at(2), -SKEW_SECONDS],
    ] as const) {
      hub.launch = { ...hub.launch, env: { ...hub.launch.env, ...clock.by(seconds) } };
      await restart(hub);
    }
    const parts: Found[] = [await revoked(fleet, options), await contained(fleet, options)];
    parts.push(await limited(fleet, { ...options, times: 1 }));
    const sent = await during(fleet, (load) => load.more(4 * options.calls));
    parts.push(await found(fleet, sent));
    const live = (await fleet.nodes()).filter((state) => state.endsWith(" live")).length;
    const lost = live < fleet.hubs.length ? [`${live} of ${fleet.hubs.length} hubs are known as live`] : [];
    for (const [hub, launch] of usual) {
      if (hub.launch === launch) continue;
      hub.launch = launch;
      await restart(hub);
    }
    return {
      faults: [...parts.flatMap(({ faults }) => faults), ...lost],
      seen: parts.map(({ seen }) => seen).join("; "),
    };
  };

/** What an executable says that is older than its database. */
const NEWER_DATABASE_EXIT = 4;

/**
 * Hubs of one build are replaced by hubs of another, one after the other, under load: every call is answered, also while
 * hubs of both serve, and what is revoked at one build is refused by the other. A migration is made meanwhile where the
 * builds have one between them.
 */
export const upgraded =
  (executable: readonly string[]): Round =>
  async (fleet, options) => {
    const [before, old] = [await fleet.databaseVersion(), fleet.at(0).launch];
    const between: Found[] = [];
    const sent = await during(fleet, async (load) => {
      for (const [at, hub] of fleet.hubs.entries()) {
        await load.more(options.calls);
        await hub.leave();
        const [, ...args] = hub.launch.command;
        hub.launch = { ...hub.launch, command: [...executable, ...args] };
        await hub.start();
        if (at === 0) {
          fleet.useCommandsOf(executable);
          between.push(await revoked(fleet, { ...options, times: 2 * fleet.hubs.length }));
        }
      }
      await load.more(options.calls);
    });
    const after = await fleet.databaseVersion();
    const faults = between.flatMap(({ faults: some }) => some);
    if (after > before) {
      await fleet.at(0).leave();
      const again = Bun.spawn([...old.command], { cwd: old.cwd, env: old.env, stdio: ["ignore", "ignore", "ignore"] });
      const code = await again.exited;
      if (code !== NEWER_DATABASE_EXIT)
        faults.push(`a hub of the older build ended with ${code} on the newer database`);
      await fleet.at(0).start();
    }
    const { faults: all, seen } = await found(fleet, sent, faults);
    const mixed = between.map((one) => one.seen).join("; ");
    return { faults: all, seen: `${seen}; database from version ${before} to ${after}; with both builds: ${mixed}` };
  };

const IDLE_MS = 20_000;
/** What a hub does by itself after a start or a load is over by then: it compiles and gives memory back. Milliseconds. */
const CALM_MS = 20_000;
/** After the last call. Milliseconds. */
const SHIPS_MS = 5_000;

/** What hubs and PostgreSQL spend: without a call, and for each of some thousand. Nothing of it can fail. */
export const cost: Round = async (fleet, { times, calls }) => {
  const { cluster } = fleet.database;
  const hubs = () => fleet.hubs.reduce((sum, { pid }) => sum + (cpuMicros(pid) ?? 0), 0);
  const spent = async (work: () => Promise<number>): Promise<readonly [number, number]> => {
    const before = [hubs(), cpuMicros(cluster.pid) ?? 0] as const;
    const count = await work();
    return [(hubs() - before[0]) / count, ((cpuMicros(cluster.pid) ?? 0) - before[1]) / count];
  };
  await Bun.sleep(CALM_MS);
  const idle = await spent(async () => {
    await Bun.sleep(IDLE_MS);
    return (fleet.hubs.length * IDLE_MS) / 1_000;
  });
  const size = await fleet.databaseBytes();
  let sent = 0;
  const busy = await spent(async () => {
    sent = (await during(fleet, (load) => load.more(times * calls))).length;
    // Records are shipped in batches: what is left comes with the next look.
    await Bun.sleep(SHIPS_MS);
    return sent;
  });
  const bytes = ((await fleet.databaseBytes()) - size) / sent;
  const round = (micros: number): string => micros.toFixed(0);
  return {
    faults: [],
    seen: `CPU µs of hub and PostgreSQL: ${round(idle[0])} and ${round(idle[1])} a second of a hub without calls, ${round(busy[0])} and ${round(busy[1])} a call; ${round(bytes)} bytes a call in PostgreSQL`,
  };
};
