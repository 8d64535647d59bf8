import type { JsonRecord } from "#core/json/json";
import type { TSchema } from "#core/schema";
import type { AnsweredCall } from "#model/answered-call";
import type { Stage } from "#model/audit";
import type { VerdictSystem } from "#model/verdict";
import type { Pause } from "#platform/slices";
import type { Speech } from "#policy/provenance/speech";
import type { Walk } from "#scan/texts/text-walk";
import type { AskedActs } from "./local-gate";

export type NamedTool = Pick<AnsweredCall, "param" | "tool">;

/** What another system asks about: texts on their way to a model or from one, and tool calls that are to be made. */
export type Frame = {
  readonly stage: Stage;
  /** Empty where the system does not say. */
  readonly model: string;
  readonly conversation: string | null;
  /** What the caller's model was told before, where nothing else asks about it: judged first, as on its way to a model. */
  readonly context?: Walk;
  /** Every text, with its origin; still to be run. */
  readonly walk: Walk;
  /** Whether the system takes another text for the one at a place. Where it does not, what would be redacted is denied. */
  readonly isReplaceable: (param: string) => boolean;
  /** Whether the system takes another text for every place. */
  readonly isReplaced: boolean;
  /** The tools of its calls before anything is walked, where its system waits only so long. Throws `invalid_value`. */
  readonly tools?: (pause: Pause) => readonly NamedTool[] | Promise<readonly NamedTool[]>;
  readonly calls: () => readonly AnsweredCall[] | Promise<readonly AnsweredCall[]>;
  /** What an agent is about to do on its machine; absent where the system says nothing of that. */
  readonly acts?: readonly AskedActs[];
  /** Who said what in it, for provenance; null where it holds no conversation. */
  readonly speech: Speech | null;
};

export type Verdict = {
  /**
   * `changed`: allowed with the texts that now stand in the body. `ask`: the agent's user decides; only where the frame has
   * acts of which its system can ask.
   */
  readonly decision: "allow" | "changed" | "ask" | "deny";
  /** Of a denial or question: why, and what to do; for a person. */
  readonly reason: string;
  /** Where the call is shown in the dashboard, and where its decision is disputed. */
  readonly url: string;
  /** Null where nothing can be disputed. */
  readonly eventId: string | null;
  /** Of a tool call that waits for a person. */
  readonly isHeld: boolean;
};

/** How one system asks and is answered. Whatever differs between systems is in its adapter. */
export type VerdictAdapter = {
  readonly system: VerdictSystem;
  /** Places of a frame that hold what tools are given. */
  readonly toolInput: RegExp;
  /** Throws `invalid_value`. */
  readonly frameOf: (body: JsonRecord, maxDepth: number) => Frame;
  /** Texts that were changed stand in the body. */
  readonly answerOf: (verdict: Verdict, body: JsonRecord) => JsonRecord;
};

/** An adapter of a system that asks with a gateway token. */
export type TokenAdapter = VerdictAdapter & {
  /** The shape of a request; open at every level. */
  readonly schema: TSchema;
  /** What the body must be: `a request of LiteLLM`. */
  readonly title: string;
};
