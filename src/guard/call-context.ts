import type { DeclaredTool } from "#guard/apis/api";
import type { CallTrace } from "#guard/call-trace";
import type { CallDecisions } from "#guard/earlier-decisions";
import { type Rules, type Subject, subjectOf } from "#guard/enforcement/policy-resolver";
import type { GuardNeeds } from "#guard/guard-needs";
import type { Reservation } from "#guard/limits/limiter";
import type { Spending } from "#guard/money/budgets";
import type { KeptAt } from "#guard/response-ids";
import type { ServerToolFacts, Stage, SubAgent, ToolFacts } from "#model/audit";
import type { Usage } from "#model/model-api";
import type { Principal } from "#model/principal";
import type { Origins, Provenance } from "#policy/provenance/provenance";
import { once } from "#scan/fold/once";
import type { CompiledPolicy } from "#scan/policy";

/** Tools of a request that are looked through. */
const MAX_DECLARED = 5_000;

/**
 * The facts of one guarded call: whose it is, what it is held to, and what has become known of it so far. It decides
 * nothing and writes nothing.
 */
export class CallContext {
  /** What the call is held to, from its begin to its end. */
  rules: Rules;
  /** What kept its rules from being known; null where nothing did. */
  readonly refusal: unknown;
  /** Its place within the agent's limits, once it has one. */
  reservation: Reservation | null = null;
  /** What it may cost, taken off the budgets it is under; null under none. */
  spending: Spending | null = null;
  /** Filled in as the call learns them. */
  model: string | null = null;
  provider: string | null = null;
  /** The provider's own name of the model, where it has another. */
  upstreamModel: string | null = null;
  /** The provider that keeps what it continues or asks for: it goes nowhere else. Null where it may go anywhere. */
  keeper: string | null = null;
  /** The response it continues or asks for, and the id its caller knows that by. */
  keptAt: (KeptAt & { readonly own: string }) | null = null;
  stream = false;
  /** Whether its body is so long that what is done with all of it is done in slices. */
  isLong = false;
  /** Whether its API has an answer without content that a block can be answered with. */
  hasRefusal = false;
  /** Places of an answer that hold what a tool is given; null where there are none. */
  toolInput: RegExp | null = null;
  /** Places of an answer that repeat its request, under the paths they have there; null where there are none. */
  repeated: RegExp | null = null;
  /** Whether a stream's client asked for the usage. */
  wantsUsage = false;
  conversation: string | null = null;
  subAgent: SubAgent | null = null;
  /** Blocks of reasoning left out of the request. */
  reasoningDropped = 0;
  /** Tools at the provider that the request turns on. */
  serverTools: readonly ServerToolFacts[] = [];
  /** What was redacted in its conversation earlier; null for a call of none. */
  decisions: CallDecisions | null = null;
  clientRetry = 0;
  attempts = 0;
  /** Whether a provider has begun to answer, so that it charges for it. */
  isAnswering = false;
  usage: Usage | null = null;
  finishReasons: string[] = [];
  /** How many tools its answer calls, and the first of them in the answer's own words, which are not for the record. */
  toolCalls = 0;
  readonly toolsCalled: string[] = [];
  tool: ToolFacts | null = null;
  /** The tools its request declares; null for a call without an answer to look at. */
  declaredTools: (() => Iterable<DeclaredTool>) | null = null;
  /** How those of a name are defined; made once, when first asked for. */
  readonly definitions = once(() => this.definitionsByName());
  /** Where values of the request's messages come from; null while no tool has said anything. */
  provenance: Provenance | null = null;
  /** What its conversation, and its agent in others, are known to have said; null where only the request counts. */
  origins: Origins | null = null;
  /** Of what a hook decided while the hub could not be reached: when, in RFC 3339. Null for all else. */
  decidedOffline: string | null = null;
  /** Its place in a trace; null where nobody is told of calls. */
  trace: CallTrace | null = null;
  /** Aborts when nobody waits for the call any more; null where nothing says so. */
  signal: (() => AbortSignal) | null = null;
  upstreamMs = 0;
  guardMs = 0;
  /** What of `guardMs` went into the answer. */
  guardOutMs = 0;
  readonly startedAt: number;
  private readonly startedTick = performance.now();

  constructor(
    { clock, policyResolver }: Pick<GuardNeeds, "clock" | "policyResolver">,
    readonly caller: Principal,
    readonly kind: string,
    readonly id: string,
  ) {
    this.startedAt = clock();
    let refusal: unknown = null;
    try {
      this.rules = policyResolver.rulesOf(caller);
    } catch (error) {
      // Thrown by `CallGate.assertNotStopped`, so that this refusal too is met where the call's end is written down.
      refusal = error;
      this.rules = policyResolver.rulesOfAgent(null);
    }
    this.refusal = refusal;
  }

  private definitionsByName(): ReadonlyMap<string, readonly unknown[]> {
    const byName = new Map<string, unknown[]>();
    let left = MAX_DECLARED;
    for (const [, name, definition] of this.declaredTools?.() ?? []) {
      left -= 1;
      if (left < 0) break;
      const known = byName.get(name);
      if (known) known.push(definition);
      else byName.set(name, [definition]);
    }
    return byName;
  }

  get policy(): CompiledPolicy {
    return this.rules.policy;
  }

  /** Whose call it is and what it touches, as far as is known. */
  get subject(): Subject {
    return { ...subjectOf(this.caller), model: this.model, server_id: this.tool?.server_id ?? null };
  }

  /** Whether a block is answered like a completion: 200, without content. */
  get answersBlockAsCompletion(): boolean {
    return this.hasRefusal && this.rules.effective.block_response.value === "completion";
  }

  get totalMs(): number {
    return performance.now() - this.startedTick;
  }

  get overheadMs(): number {
    return Math.max(0, this.totalMs - this.upstreamMs);
  }

  /** Adds to the time the guard took. */
  spend(guardMs: number, stage: Stage = "output"): void {
    this.guardMs += guardMs;
    if (stage === "output") this.guardOutMs += guardMs;
  }
}

/** What is recorded of a conversation id, in UTF-16 units. */
const MAX_CONVERSATION_LENGTH = 200;

/** Cut after it was judged: half of a secret would pass for nothing. */
export const recordedConversation = (judged: string): string => judged.slice(0, MAX_CONVERSATION_LENGTH);
