import type { CallContext } from "#guard/call-context";
import { auditedCall, ownAgent } from "#guard/endpoints/audited-call";
import type { GuardNeeds } from "#guard/guard-needs";
import type { GuardedCall } from "#guard/guarded-call";
import { enterPool, isLong } from "#guard/long-scan";
import type { ScanPlace, ScanText } from "#guard/scan-pool/pool";
import type { PrincipalCache } from "#identity/principal-cache";
import type { Agent } from "#model/agent";
import { maySee, noAgent } from "#model/ownership";
import type { Principal, TokenPrincipal } from "#model/principal";
import { slices } from "#platform/slices";
import type { CompiledPolicy } from "#scan/policy";
import { type Flag, flagOf, isSafe, type Judged, scanText } from "#scan/scan";
import type { ScanRequest, ScanResult, TrialRequest, TrialResult } from "./schema";

type ScanServiceNeeds = {
  readonly guard: GuardNeeds;
  readonly principals: PrincipalCache;
};

/** Of the audit records. */
const KIND = "guard.scan";
/** How long repeated scans may hold up everybody else. Milliseconds. */
const REPEATING_MS = 1_000;
/** Flags between two looks at the time. */
const STRIDE = 256;

/** What the scanner would say: audited as a call, no event, no report, nothing passed on. */
export class ScanService {
  constructor(private readonly deps: ScanServiceNeeds) {}

  /** Everything thrown is a `GuardError`; the record is on disk before this returns. */
  probe(caller: TokenPrincipal, id: string, read: () => ScanRequest): Promise<ScanResult> {
    const { guard, principals } = this.deps;
    return auditedCall(guard, { caller, kind: KIND, id }, async (call) => {
      const { context, gate } = call;
      gate.assertNotStopped();
      const request = read();
      const { agent_id = null } = request;
      if (agent_id !== null) this.judgeAs(context, ownAgent(principals, caller, agent_id), caller.user);
      return this.scan(call, request, flagOf);
    });
  }

  /** The same for a person at `/api`, as themselves or as an agent they may see; timed if asked, recorded once. */
  tryOut(caller: Principal, id: string, read: () => TrialRequest): Promise<TrialResult> {
    const { guard, principals } = this.deps;
    const { user } = caller;
    return auditedCall(guard, { caller, kind: KIND, id }, async (call) => {
      const { context, gate } = call;
      gate.assertNotStopped();
      const request = read();
      const agent = request.agent_id ? principals.agent(request.agent_id.toLowerCase()) : null;
      if (request.agent_id && !(agent && maySee(user, agent))) throw noAgent("agent_id");
      if (agent) this.judgeAs(context, agent, principals.activeUser(agent.owner_id) ?? user);
      const result = await this.scan(call, request, explainedFlagOf);
      const { repeat } = request;
      return repeat === undefined
        ? result
        : { ...result, timings_us: await this.time(context, user.id, request, repeat) };
    });
  }

  /** Microseconds of each of `repeat` scans, or of as many as fit into a second. */
  private async time({ policy }: CallContext, who: string, request: TrialRequest, repeat: number): Promise<number[]> {
    const text = { text: request.text, origin: request.origin ?? "user" };
    const { pool } = this.deps.guard.scanner;
    if (pool === null || !isLong([text])) return timed(() => timedHere(policy, text), repeat);
    const place = enterPool(pool, who, text.text.length, { signal: null, isRefusable: true });
    try {
      return await timed(() => timedInPool(place, policy, text), repeat);
    } finally {
      place.leave();
    }
  }

  /** Under the agent's rules. */
  private judgeAs(context: CallContext, agent: Agent, user: TokenPrincipal["user"]): void {
    context.rules = this.deps.guard.policyResolver.rulesOf({ agent, user });
  }

  private async scan<Shown extends Flag>(
    { context, gate }: GuardedCall,
    { text, origin = "user" }: ScanRequest,
    shown: (text: string, finding: Judged) => Shown,
  ) {
    const { effective } = context.rules;
    const begin = performance.now();
    const findings = await gate.probe({ text, origin, param: "text" });
    const scanMs = performance.now() - begin;
    const flags: Shown[] = [];
    const pause = slices.begin();
    for (const finding of findings) {
      flags.push(shown(text, finding));
      const wait = flags.length % STRIDE === 0 ? pause() : null;
      if (wait) await wait;
    }
    return {
      safe: isSafe(findings, effective.mode),
      scan_ms: Math.round(scanMs * 1000) / 1000,
      flags,
      mode: effective.mode,
      policy_revision: context.policy.revision,
    };
  }
}

/** With what the action comes from. */
const explainedFlagOf = (text: string, finding: Judged) => {
  const { layer, rule, tuned } = finding;
  return {
    ...flagOf(text, finding),
    ...(layer !== undefined && { layer }),
    ...(rule !== undefined && { rule }),
    ...(tuned !== undefined && { tuned }),
  };
};

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
