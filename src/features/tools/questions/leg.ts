import type { JsonRecord } from "#core/json/json";
import type { LogLevel } from "#model/tools/log-level";
import type { ProgressNotificationParams, Unchecked } from "#model/tools/mcp-types";
import { Cancellation, type CancelSignal } from "#platform/cancellation";
import type { LogListener, QuestionListener, QuestionReply, UpstreamToolAnswer } from "#upstream/tool-port";

export type LegOutcome =
  | { readonly kind: "answer"; readonly answer: UpstreamToolAnswer }
  | { readonly kind: "question"; readonly params: JsonRecord };

/** Who has the leg at present. */
export type LegHolder = {
  readonly signal: CancelSignal;
  readonly onProgress: ((params: Unchecked<ProgressNotificationParams>) => void) | null;
  readonly log: LogListener | null;
  readonly onCompleted: ((elicitationId: string) => void) | null;
};

export type LegCall = {
  readonly signal: CancelSignal;
  readonly onProgress: (params: Unchecked<ProgressNotificationParams>) => void;
  readonly log: LogListener | null;
  readonly questions: QuestionListener;
};

/**
 * A call at a server that may ask in the middle of it. It can outlive the request that began it: a client of 2026-07-28
 * calls again with the answer.
 */
export class Leg implements QuestionListener {
  private readonly outcomes: (() => LegOutcome)[] = [];
  private wake: (() => void) | null = null;
  private asked: ((reply: QuestionReply) => void) | null = null;
  private readonly ending = new Cancellation();
  /** Aborts when the server's answer is there: it waits for nobody any more. */
  readonly answered = new Cancellation();
  private holder: LegHolder | null = null;

  private constructor() {}

  /** `logLevel`: of whom begins it. `send` never throws before it has returned its promise. */
  static begin(logLevel: LogLevel | null, send: (call: LegCall) => Promise<UpstreamToolAnswer>): Leg {
    const leg = new Leg();
    const onProgress: LegCall["onProgress"] = (progress) => leg.holder?.onProgress?.(progress);
    const log = logLevel && { level: logLevel, tell: (message: JsonRecord) => leg.holder?.log?.tell(message) };
    send({ signal: leg.ending, onProgress, log, questions: leg }).then(
      (answer) => leg.finish(() => ({ kind: "answer", answer })),
      (error: unknown) =>
        leg.finish(() => {
          throw error;
        }),
    );
    return leg;
  }

  /** From now on the holder has it, and ends it with its own signal. Returns what lets go of it. */
  attach(holder: LegHolder): () => void {
    this.holder = holder;
    const end = (): void => this.end();
    holder.signal.addEventListener("abort", end, { once: true });
    if (holder.signal.aborted) end();
    return () => {
      holder.signal.removeEventListener("abort", end);
      if (this.holder === holder) this.holder = null;
    };
  }

  /** What comes next. Throws what the server's call throws. */
  async next(): Promise<LegOutcome> {
    for (;;) {
      const outcome = this.outcomes.shift();
      if (outcome) return outcome();
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
  }

  /** Answers the question that is open. */
  reply(reply: QuestionReply): void {
    const { asked } = this;
    this.asked = null;
    asked?.(reply);
  }

  /** Nobody waits for it any more: the server is told. */
  end(): void {
    this.reply({ kind: "result", result: { action: "cancel" } });
    this.ending.abort();
  }

  ask = (params: JsonRecord): Promise<QuestionReply> => {
    if (this.asked || this.ending.aborted) return Promise.resolve(ONE_AT_A_TIME);
    const { promise, resolve } = Promise.withResolvers<QuestionReply>();
    this.asked = resolve;
    this.push(() => ({ kind: "question", params }));
    return promise;
  };

  completed = (elicitationId: string): void => this.holder?.onCompleted?.(elicitationId);

  private finish(outcome: () => LegOutcome): void {
    this.push(outcome);
    this.answered.abort();
  }

  private push(outcome: () => LegOutcome): void {
    this.outcomes.push(outcome);
    this.wake?.();
    this.wake = null;
  }
}

const ONE_AT_A_TIME: QuestionReply = {
  kind: "error",
  code: -32_603,
  message: "The user is being asked something already, or the call has ended.",
};
