import { Auditor } from "#audit/auditor";
import { CHAT } from "#guard/apis/chat";
import { ContentRetention } from "#guard/content-retention";
import { EarlierDecisions } from "#guard/earlier-decisions";
import { PolicyResolver } from "#guard/enforcement/policy-resolver";
import { TuningRuleCache } from "#guard/enforcement/tuning-rule-cache";
import { beginCall, type GuardedCall } from "#guard/guarded-call";
import { Scanner } from "#guard/scanner";
import type { AuditRecord } from "#model/audit";
import { CONTENT_HMAC } from "#model/kept-content";
import type { TokenPrincipal } from "#model/principal";
import { keyedHash } from "#platform/hash";
import type { Log } from "#platform/log";
import type { CompiledPolicy } from "#scan/policy";
import type { AuditLog } from "#store/port";
import { LABELS } from "#test/support/labels";

const NOW = 1_750_000_000_000;

const CALLER: TokenPrincipal = {
  user: { id: "user-1", email: "eve@example.com", name: null, role: "member", state: "active", created_at: NOW },
  token: {
    id: "token-1",
    hash: "",
    display: "",
    name: null,
    user_id: "user-1",
    agent_id: null,
    state: "active",
    expires_at: null,
    created_at: NOW,
  },
  agent: null,
};

export const QUIET: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/** An audit log in memory, whose disk can be made to fail. */
export class MemoryAudit implements AuditLog {
  readonly lines: string[] = [];
  healthy = true;
  readonly waiting = 0;

  get records(): AuditRecord[] {
    return this.lines.map((line) => JSON.parse(line));
  }
  async append(line: string): Promise<void> {
    if (!this.healthy) throw new Error("no space left on device");
    this.lines.push(line);
  }
  tail(): Promise<never> {
    return Promise.reject(new Error("not here"));
  }
  async *read(): AsyncGenerator<never> {}
  verify(): Promise<never> {
    return Promise.reject(new Error("not here"));
  }
  openCalls(): Promise<string[]> {
    return Promise.resolve([]);
  }
  endAbandoned(): Promise<number> {
    return Promise.resolve(0);
  }
  dropBefore(): Promise<string[]> {
    return Promise.resolve([]);
  }
  flush(): Promise<void> {
    return Promise.resolve();
  }
}

/** One call under a policy, with nothing around it but memory. */
export const callUnder = (policy: CompiledPolicy, audit = new MemoryAudit()): GuardedCall => {
  let next = 0;
  const ids = () => {
    next += 1;
    return `id-${next}`;
  };
  const scanner = new Scanner(policy, new Uint8Array(32), 1000);
  const policyResolver = new PolicyResolver({
    tuningRules: new TuningRuleCache({ now: () => NOW, hashOf: (text) => text, fits: () => false }),
    now: () => NOW,
    baseline: () => policy,
    floor: [],
    ungoverned: "baseline",
    staleMs: Number.POSITIVE_INFINITY,
  });
  const content = new ContentRetention({
    ...{ content: { keep: () => Promise.resolve() }, seal: (_purpose, secret) => secret },
    ...{ keepBlockedHours: 0, hash: keyedHash(new Uint8Array(32), CONTENT_HMAC) },
    ...{ clock: () => NOW, ids, log: QUIET },
  });
  const deps = {
    scanner,
    auditor: new Auditor(audit, QUIET),
    clock: () => NOW,
    ids,
    log: QUIET,
    policyResolver,
    content,
    labelsOf: () => LABELS,
    earlierDecisions: new EarlierDecisions({ now: () => NOW, hashOf: (text) => text }),
    priceOf: () => null,
  };
  const call = beginCall(deps, { caller: CALLER, kind: CHAT.kind, id: "call-1" });
  call.context.toolInput = CHAT.answer.toolInput;
  return call;
};
