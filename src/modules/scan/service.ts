import type { Agent } from "#core/agent";
import type { Caller } from "#core/caller";
import { maySee, noAgent } from "#core/ownership";
import { flagOf, isSafe } from "#core/scan/flag";
import type { CompiledPolicy } from "#core/scan/policy";
import { scanText } from "#core/scan/scan";
import type { Person } from "#core/session";
import type { Directory } from "#engine/directory";
import { type GuardDeps, GuardedCall } from "#engine/guarded-call";
import { enterPool, isLong } from "#engine/long-scan";
import { ownAgent } from "#engine/own-agent";
import type { ScanPlace, ScanText } from "#engine/scan-pool/pool";
import type { ScanRequest, ScanResult, TrialRequest, TrialResult } from "#modules/scan/schema";
import { slices } from "#platform/slices";

type Deps = {
  readonly guard: GuardDeps;
  readonly directory: Directory;
  readonly check: (body: unknown) => ScanRequest;
};

/** How long repeated scans may hold up everybody else. Milliseconds. */
const REPEATING_MS = 1_000;

/** What the scanner would say: audited as a call, no event, no report, nothing passed on. */
export class ScanService {
  constructor(private readonly deps: Deps) {}

  /** Everything thrown is a `GuardError`; the record is on disk before this returns. */
  async probe(caller: Caller, id: string, read: () => unknown): Promise<ScanResult> {
    this.deps.guard.auditor.admit();
    const call = new GuardedCall(this.deps.guard, caller, "guard.scan", id);
    try {
      call.mustRun();
      const request = this.deps.check(read());
      // Judged as the agent would be.
      const { agent_id = null } = request;
      if (agent_id !== null) this.judgeAs(call, ownAgent(this.deps.directory, caller, agent_id), caller.user);
      const result = await this.scan(call, request);
      await call.finish("answered", 200);
      return result;
    } catch (error) {
      throw await call.fail(error);
    }
  }

  /** The same for a person at `/api`, as themselves or as an agent they may see; timed if asked, recorded once. */
  async tryOut({ user, session }: Person, id: string, read: () => TrialRequest): Promise<TrialResult> {
    const { guard, directory } = this.deps;
    guard.auditor.admit();
    const call = new GuardedCall(guard, { user, agent: null, token: null, session_id: session.id }, "guard.scan", id);
    try {
      call.mustRun();
      const request = read();
      const agent = request.agent_id ? directory.agent(request.agent_id.toLowerCase()) : null;
      if (request.agent_id && !(agent && maySee(user, agent))) throw noAgent("agent_id");
      if (agent) this.judgeAs(call, agent, directory.activeUser(agent.owner_id) ?? user);
      const result = await this.scan(call, request);
      const { repeat } = request;
      const timings = repeat === undefined ? {} : { timings_us: await this.time(call, user.id, request, repeat) };
      await call.finish("answered", 200);
      return { ...result, ...timings };
    } catch (error) {
      throw await call.fail(error);
    }
  }

  /** Microseconds of each of `repeat` scans, or of as many as fit into a second. */
  private async time(call: GuardedCall, who: string, request: TrialRequest, repeat: number): Promise<number[]> {
    const text = { text: request.text, origin: request.origin ?? "user" };
    const { policy } = call;
    const { pool } = this.deps.guard.scanner;
    if (pool === null || !isLong([text])) return timed(() => timedHere(policy, text), repeat);
    const place = enterPool(pool, who, text.text.length, { signal: null, isRefusable: true });
    try {
      return await timed(() => timedInPool(place, policy, text), repeat);
    } finally {
      place.leave();
    }
  }

  private judgeAs(call: GuardedCall, agent: Agent, user: Caller["user"]): void {
    call.rules = this.deps.guard.governor.rulesOf({ agent, user });
  }

  private async scan(call: GuardedCall, { text, origin = "user" }: ScanRequest): Promise<ScanResult> {
    const { effective } = call.rules;
    const begin = performance.now();
    const findings = await call.probe({ text, origin, param: "text" });
    const scanMs = performance.now() - begin;
    return {
      safe: isSafe(findings, effective.mode),
      scan_ms: Math.round(scanMs * 1000) / 1000,
      flags: findings.map((finding) => flagOf(text, finding)),
      mode: effective.mode,
      policy_revision: call.policy.revision,
    };
  }
}

/** Past the cache: it would time the cache. Others' calls come in between; long texts are timed in the scan pool. */
const timed = async (scan: TimedScan, repeat: number): Promise<number[]> => {
  const timings: number[] = [];
  const pause = slices.begin();
  let spent = 0;
  while (timings.length < repeat && spent < REPEATING_MS) {
    const ms = await scan();
    spent += ms;
    timings.push(Math.round(ms * 1_000));
    const wait = pause();
    if (wait) await wait;
  }
  return timings;
};

/** Scans once and gives the milliseconds that took. */
type TimedScan = () => number | Promise<number>;

const timedHere = (policy: CompiledPolicy, { text, origin }: ScanText): number => {
  const begin = performance.now();
  scanText(policy, text, origin);
  return performance.now() - begin;
};

const timedInPool = async (place: ScanPlace, policy: CompiledPolicy, text: ScanText): Promise<number> => {
  const [result] = await place.scan(policy, [text]);
  if (!result) throw new Error("a scan is missing");
  if ("failed" in result) throw result.failed;
  return result.ms;
};
