import type { Fleet } from "./fleet";
import type { HubProcess } from "./hub-process";
import { counted, failedUndisturbed, unrecorded } from "./ledger";
import { call, type Load, type Sent } from "./load";

/* What is done to the hubs, and what must be so all the while and afterwards. */

/** What a round found: it passed when there are no faults. */
export type Found = { readonly faults: readonly string[]; readonly seen: string };

export type RoundOptions = {
  /** How often the round does what it does. */
  readonly times: number;
  /** Calls that end between two of them. */
  readonly calls: number;
  /** How long what was revoked may be served after the answer that says so. Milliseconds. */
  readonly withinMs: number;
};

export type Round = (fleet: Fleet, options: RoundOptions) => Promise<Found>;

/** How long the ends of calls may take that nobody ended: a lease, and the next look of the others. Milliseconds. */
const SETTLES_MS = 45_000;

/** What must be so after every round with a load. */
const settled = async (fleet: Fleet, sent: readonly Sent[]): Promise<string[]> => {
  const deadline = performance.now() + SETTLES_MS;
  let open = unrecorded(sent, await fleet.records());
  while (open.length > 0 && performance.now() < deadline) {
    await Bun.sleep(500);
    open = unrecorded(sent, await fleet.records());
  }
  const fault = await fleet.fault();
  return [...open, ...(fault === null ? [] : [fault])];
};

const tally = (sent: readonly Sent[]): string => {
  const whole = sent.filter(({ isWhole }) => isWhole).length;
  const broken = sent.filter(({ isWhole, status }) => !isWhole && (status === null || status === 200));
  const causes = Object.entries(Object.groupBy(broken, ({ broken: cause }) => cause ?? "an answer that ends early"));
  const why = causes.map(([cause, calls]) => `${calls?.length ?? 0} × ${cause}`).join(", ");
  const refused = sent.length - whole - broken.length;
  return `${whole} answered, ${broken.length} cut off${why === "" ? "" : ` (${why})`}, ${refused} refused`;
};

export const found = async (fleet: Fleet, sent: readonly Sent[], more: readonly string[] = []): Promise<Found> => {
  const faults = [...more, ...failedUndisturbed(sent, fleet.hubs), ...(await settled(fleet, sent))];
  return { faults, seen: tally(sent) };
};

export const during = async (fleet: Fleet, work: (load: Load) => Promise<void>): Promise<readonly Sent[]> => {
  const load = fleet.load();
  try {
    await work(load);
  } finally {
    await load.stop();
  }
  return load.sent;
};

/** One hub after the other is killed under load: the others answer all the while, and no answered call lacks its record. */
export const killed: Round = async (fleet, { times, calls }) => {
  const sent = await during(fleet, async (load) => {
    for (let time = 0; time < times; time++) {
      const hub = fleet.at(time);
      await load.more(calls);
      const calm = hub.disturb();
      await hub.end("SIGKILL");
      await load.more(calls);
      await hub.start();
      calm();
    }
    await load.more(calls);
  });
  return found(fleet, sent);
};

/** Every hub is stopped in order, as behind a balancer, and started again: every call is answered. */
export const restarted: Round = async (fleet, { times, calls }) => {
  const sent = await during(fleet, async (load) => {
    for (let time = 0; time < times; time++) {
      for (const hub of fleet.hubs) {
        await load.more(calls);
        await hub.leave();
        await hub.start();
      }
    }
    await load.more(calls);
  });
  return found(fleet, sent);
};

/** The workers of one address that serve now, by its log. */
const workersOf = ({ logs }: HubProcess): number[] => {
  const ended = new Set(logs.filter(({ event }) => event === "worker.ended").map(({ pid }) => pid));
  const ready = logs.filter(({ event, pid }) => event === "worker.ready" && !ended.has(pid));
  return ready.map(({ pid }) => Number(pid));
};

export const until = async (is: () => boolean | Promise<boolean>, what: string): Promise<void> => {
  for (const deadline = performance.now() + SETTLES_MS; !(await is()); await Bun.sleep(10)) {
    if (performance.now() > deadline) throw new Error(`no end of waiting for ${what}`);
  }
};

/** One worker after the other is killed behind its address: calls that were open then may fail, and no other. */
export const workerKilled: Round = async (fleet, { times, calls }) => {
  const all = workersOf(fleet.at(0)).length;
  const sent = await during(fleet, async (load) => {
    for (let time = 0; time < times; time++) {
      const hub = fleet.at(time);
      await load.more(calls);
      const victim = workersOf(hub)[Math.floor(time / fleet.hubs.length) % all];
      if (victim === undefined) throw new Error("no worker");
      const calm = hub.disturb();
      process.kill(victim, "SIGKILL");
      await until(() => !workersOf(hub).includes(victim), "the end of a worker");
      calm();
      await until(() => workersOf(hub).length === all, "the next worker");
    }
    await load.more(calls);
  });
  return found(fleet, sent);
};

/** All workers are replaced one by one, by SIGHUP: every call is answered. */
export const reloaded: Round = async (fleet, { times, calls }) => {
  const reloads = ({ logs }: HubProcess) => logs.filter(({ event }) => event === "reloaded").length;
  const sent = await during(fleet, async (load) => {
    for (let time = 0; time < times; time++) {
      const hub = fleet.at(time);
      await load.more(calls);
      const before = reloads(hub);
      process.kill(hub.pid, "SIGHUP");
      await until(() => reloads(hub) > before, "the end of a reload");
    }
    await load.more(calls);
  });
  return found(fleet, sent);
};

/** A token of its own for a round, which every hub serves. */
export const freshToken = async (fleet: Fleet): Promise<{ readonly id: string; readonly token: string }> => {
  const own = await fleet.token();
  for (const one of fleet.hubs) {
    const deadline = performance.now() + SETTLES_MS;
    for (;;) {
      const { status, code, broken } = await call(one, "chat", fleet.asking(own.token));
      if (status === 200) break;
      const why = `${status ?? broken} ${code ?? ""}`;
      if (performance.now() > deadline) throw new Error(`hub ${one.id} does not take in a new token: ${why}`);
      await Bun.sleep(10);
    }
  }
  return own;
};

/**
 * Calls go on at every hub while something is taken away at one, until it is refused everywhere and the time is over.
 * The latest call that was begun after the answer and served all the same, as milliseconds after it; -1 for none.
 */
const race = async (fleet: Fleet, token: string, withinMs: number, take: () => Promise<unknown>) => {
  const load = fleet.load(token, { callers: 2 * fleet.hubs.length, pauseMs: 1 });
  try {
    await load.more(2 * fleet.hubs.length);
    await take();
    const taken = performance.now();
    const isRefused = (hub: HubProcess) => load.latest(hub, taken)?.isWhole === false;
    const deadline = taken + SETTLES_MS;
    const least = taken + (Number.isFinite(withinMs) ? withinMs + 250 : 0);
    while (performance.now() < least || !fleet.hubs.every(isRefused)) {
      if (performance.now() > deadline) break;
      await Bun.sleep(5);
    }
    await load.stop();
    const served = load.sent.filter(({ began, isWhole }) => isWhole && began > taken);
    return { late: Math.max(-1, ...served.map(({ began }) => began - taken)), refused: fleet.hubs.every(isRefused) };
  } finally {
    await load.stop();
  }
};

const rank = (values: readonly number[], share: number): number =>
  values.toSorted((one, other) => one - other)[Math.max(0, Math.ceil(values.length * share) - 1)] ?? -1;

const lateness = (lates: readonly number[]): string => {
  const served = lates.filter((late) => late >= 0);
  const [p50, p99] = [rank(lates, 0.5), rank(lates, 0.99)].map((ms) => Math.max(0, ms).toFixed(0));
  return `${lates.length} rounds, last served p50 ${p50} ms, p99 ${p99} ms after; in ${lates.length - served.length} none`;
};

/** A token is revoked at one hub: none serves it any more once the time is over. */
export const revoked: Round = async (fleet, { times, withinMs }) => {
  const [faults, lates]: [string[], number[]] = [[], []];
  for (let time = 0; time < times; time++) {
    const hub = fleet.at(time);
    const { id, token } = await freshToken(fleet);
    const { late, refused } = await race(fleet, token, withinMs, () => fleet.api(hub, `/tokens/${id}/revoke`));
    lates.push(late);
    if (!refused) faults.push("a hub goes on serving what was revoked");
    else if (late > withinMs) faults.push(`served ${late.toFixed(0)} ms after it was revoked`);
  }
  return { faults, seen: lateness(lates) };
};

/** A kill switch: once it says that it is contained, nothing that is begun is served; else nothing once the time is over. */
export const contained: Round = async (fleet, { times, withinMs }) => {
  const [faults, lates]: [string[], number[]] = [[], []];
  let said = 0;
  for (let time = 0; time < times; time++) {
    const { token } = await freshToken(fleet);
    let id = "";
    let isContained = false;
    const { late, refused } = await race(fleet, token, withinMs, async () => {
      const made = await fleet.api(fleet.at(time), "/killswitch", { level: "all", reason: "a round" });
      id = `${made["id"]}`;
      isContained = made["contained"] === true;
    });
    if (isContained) said += 1;
    lates.push(late);
    if (!refused) faults.push("a hub goes on serving");
    else if (late > (isContained ? 0 : withinMs)) faults.push(`served ${late.toFixed(0)} ms after the kill switch`);
    await fleet.api(fleet.at(time + 1), `/killswitch/${id}/lift`, { reason: "the end of a round" });
  }
  return { faults, seen: `${said} contained when answered; ${lateness(lates)}` };
};

/** How long a process is held up after something was revoked at another: longer than that may be unknown. Milliseconds. */
const HELD_UP_MS = 1_500;
/** Calls that wait for it meanwhile. */
const WAITING = 10;

/** A process does nothing for a while, as on a host that is out of memory: what was revoked meanwhile is not served when it goes on. */
export const heldUp: Round = async (fleet, { times, calls }) => {
  const faults: string[] = [];
  const sent = await during(fleet, async (load) => {
    for (let time = 0; time < times; time++) {
      const [hub, other] = [fleet.at(time), fleet.at(time + 1)];
      const { id, token } = await freshToken(fleet);
      await load.more(calls);
      process.kill(hub.pid, "SIGSTOP");
      await fleet.api(other, `/tokens/${id}/revoke`);
      await Bun.sleep(HELD_UP_MS);
      const waiting = Array.from({ length: WAITING }, () => call(hub, "chat", fleet.asking(token)));
      await Bun.sleep(100);
      process.kill(hub.pid, "SIGCONT");
      const served = (await Promise.all(waiting)).filter(({ status }) => status === 200).length;
      if (served > 0) faults.push(`${served} of ${WAITING} served`);
    }
  });
  return found(fleet, sent, faults);
};

const LIMIT = 30;

/** An agent's requests a minute, three times as many sent to all hubs at once: never more than the limit are served. */
export const limited: Round = async (fleet, { times }) => {
  const faults: string[] = [];
  const counts: number[] = [];
  for (let time = 0; time < times; time++) {
    const agent = await fleet.agent(`limited-${crypto.randomUUID().slice(0, 8)}`);
    const limit = { kind: "rate_limited", reason: "a round", expires_in: "1h", params: { requests_per_minute: LIMIT } };
    await fleet.api(fleet.at(time), `/agents/${agent}/restrictions`, limit);
    const asking = fleet.asking((await fleet.token(agent)).token);
    const sent = await Promise.all(Array.from({ length: 3 * LIMIT }, (_, at) => call(fleet.at(at), "chat", asking)));
    const served = sent.filter(({ status }) => status === 200).length;
    counts.push(served);
    if (served > LIMIT) faults.push(`${served} served of ${LIMIT} a minute`);
    const odd = sent.filter(({ status }) => status !== 200 && status !== 429);
    faults.push(...odd.map(({ status, code }) => `${status ?? "broken"} ${code ?? ""}`));
  }
  return { faults, seen: `${counts.join(", ")} of ${LIMIT} a minute served` };
};

export const faultsInWords = counted;
