import { isRecord, type JsonRecord } from "#core/json/json";
import type { AuditRecord } from "#model/audit";
import {
  parseTraceparent,
  parseTracestate,
  RANDOM,
  SAMPLED,
  type TraceHeaders,
  type TraceParent,
  traceparentOf,
} from "#model/trace-context";

/** What a caller says of its trace. The state is what may be passed on, and is not scanned yet. */
export type CallerTrace = { readonly parent: TraceParent | null; readonly state: string | null };

/** A caller that says nothing. */
export const UNTRACED: CallerTrace = { parent: null, state: null };

/** Without a valid `traceparent` a `tracestate` means nothing. */
export const callerTraceOf = (traceparent: string | null, tracestate: string | null): CallerTrace => {
  const parent = traceparent === null ? null : parseTraceparent(traceparent);
  if (parent === null) return UNTRACED;
  return { parent, state: tracestate === null ? null : parseTracestate(tracestate) };
};

/** The caller's own trace as its HTTP headers say it. */
export const callerTraceIn = (header: (name: string) => string | null): CallerTrace =>
  callerTraceOf(header("traceparent"), header("tracestate"));

/** How a provider names its answer and the model that gave it. */
export type AnswerNames = { readonly id: string | null; readonly model: string | null };

const UNNAMED: AnswerNames = { id: null, model: null };

/** Providers may say anything in these places: only what looks like a name of theirs leaves the hub. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9._:/@+-]{0,127}$/;

const nameIn = (of: JsonRecord, key: string): string | null => {
  const name = of[key];
  return typeof name === "string" && NAME.test(name) ? name : null;
};

/** Whole answers and the events of Chat Completions say both themselves; events of the other APIs within their answer. */
const namesIn = (said: JsonRecord): AnswerNames | null => {
  const { response, message } = said;
  const of = isRecord(response) ? response : isRecord(message) ? message : said;
  const names = { id: nameIn(of, "id"), model: nameIn(of, "model") };
  return names.id === null && names.model === null ? null : names;
};

/** A call that is over: what is on record of it, and its trace. */
export type TracedCall = { readonly record: AuditRecord; readonly trace: CallTrace };

/** Told of every traced call that ends. Must neither throw nor wait. */
export type TraceSink = (call: TracedCall) => void;

export type TracingOptions = {
  /** Random bytes in hexadecimal. */
  readonly randomHex: (bytes: number) => string;
  /** Whether spans of a trace are exported; `parent` is null where the trace begins here. */
  readonly isSampled: (traceId: string, parent: TraceParent | null) => boolean;
  /** Whether providers and tool servers are told of the trace. */
  readonly propagates: boolean;
  readonly sink: TraceSink;
};

const TRACE_ID_BYTES = 16;
const SPAN_ID_BYTES = 8;

/** Gives calls their place in a trace: the caller's, or one that begins here. */
export class Tracing {
  constructor(private readonly options: TracingOptions) {}

  begin(caller: CallerTrace, startedAt: number): CallTrace {
    return new CallTrace(this.options, caller, startedAt);
  }
}

/** One call's place in a trace. Costs a few ids when it begins; what is told of it is made when it is exported. */
export class CallTrace {
  readonly traceId: string;
  /** Of the call as it came to the hub. */
  readonly spanId: string;
  /** The caller's span; null where the trace begins here. */
  readonly parentId: string | null;
  readonly flags: number;
  private state: string | null = null;
  private upstreamId: string | null = null;
  private names: AnswerNames | null = null;
  /** Milliseconds from the begin of the call to when it was sent on. */
  private sentAfter: number | null = null;
  private readonly startedTick = performance.now();

  constructor(
    private readonly options: TracingOptions,
    private readonly caller: CallerTrace,
    /** Unix milliseconds. */
    readonly startedAt: number,
  ) {
    const { randomHex, isSampled } = options;
    const { parent } = caller;
    this.traceId = parent?.traceId ?? randomHex(TRACE_ID_BYTES);
    this.spanId = randomHex(SPAN_ID_BYTES);
    this.parentId = parent?.spanId ?? null;
    this.flags = ((parent?.flags ?? RANDOM) & RANDOM) | (isSampled(this.traceId, parent) ? SAMPLED : 0);
  }

  get isSampled(): boolean {
    return (this.flags & SAMPLED) !== 0;
  }

  /** What the caller says beside its ids; null before it was found fit to leave the hub. */
  get traceState(): string | null {
    return this.state;
  }

  /** The same before that. */
  get givenState(): string | null {
    return this.caller.state;
  }

  /** Called once it was scanned. */
  acceptState(): void {
    this.state = this.caller.state;
  }

  /** Of what a provider or tool server does of it; null for a call that was sent to none. */
  get upstream(): { readonly spanId: string; readonly sentAfter: number } | null {
    if (this.sentAfter === null) return null;
    return { spanId: this.upstreamSpanId(), sentAfter: this.sentAfter };
  }

  /** The call goes to a provider or tool server now. What is repeated belongs to the same span. */
  forwarded(): void {
    this.sentAfter ??= performance.now() - this.startedTick;
  }

  /** What providers and tool servers are sent of it; null where they are told nothing. */
  get headers(): TraceHeaders | null {
    if (!this.options.propagates) return null;
    const traceparent = traceparentOf({ traceId: this.traceId, spanId: this.upstreamSpanId(), flags: this.flags });
    return this.state === null ? { traceparent } : { traceparent, tracestate: this.state };
  }

  /** Told of a whole answer or each event of one, once it was scanned and before its ids are replaced by the hub's own. */
  answered(said: JsonRecord): void {
    this.names ??= namesIn(said);
  }

  get answer(): AnswerNames {
    return this.names ?? UNNAMED;
  }

  ended(record: AuditRecord): void {
    this.options.sink({ record, trace: this });
  }

  private upstreamSpanId(): string {
    this.upstreamId ??= this.options.randomHex(SPAN_ID_BYTES);
    return this.upstreamId;
  }
}
