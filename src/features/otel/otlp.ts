import type { Signal } from "./signal";

/* What is exported, as OpenTelemetry's protocol has it (opentelemetry-proto 1.x), before it is written in either form. */

/** What an attribute can be, and what it is called in either form. */
export type AttributeType = "string" | "int" | "double" | "bool" | "strings";
export type AttributeValue<T extends AttributeType> = T extends "strings"
  ? readonly string[]
  : T extends "string"
    ? string
    : T extends "bool"
      ? boolean
      : number;

/** Tells attributes of something. */
export type TellAttributes = (to: Attributes) => void;

/** Numbers of the protocol's enumerations. */
export const SPAN_KIND = { server: 2, client: 3 } as const;
export const STATUS = { unset: 0, error: 2 } as const;
export const SEVERITY = { info: 9, warn: 13, error: 17 } as const;
export type SeverityName = keyof typeof SEVERITY;

/** Moments are Unix milliseconds with fractions. */
export type Span = {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentId: string | null;
  readonly traceState: string | null;
  /** Of W3C, and whether the parent is of another process. */
  readonly flags: number;
  readonly name: string;
  readonly kind: (typeof SPAN_KIND)[keyof typeof SPAN_KIND];
  readonly start: number;
  readonly end: number;
  readonly attributes: TellAttributes;
  readonly status: (typeof STATUS)[keyof typeof STATUS];
};

export type LogEntry = {
  readonly at: number;
  readonly observedAt: number;
  readonly severity: SeverityName;
  readonly eventName: string;
  readonly body: string;
  readonly attributes: TellAttributes;
  readonly traceId: string;
  readonly spanId: string;
  readonly flags: number;
};

/** Whose spans and log records these are. */
export type Origin = {
  readonly resource: TellAttributes;
  readonly scope: { readonly name: string; readonly version: string };
};

/** Collects what one request carries, so that it can be written in slices. */
export type RequestWriter<Item> = {
  add(item: Item): void;
  finish(): Uint8Array<ArrayBuffer> | string;
};

export type Encoding = {
  readonly contentType: string;
  readonly spans: (origin: Origin) => RequestWriter<Span>;
  readonly logs: (origin: Origin) => RequestWriter<LogEntry>;
  /** What a collector says it did not take; null for an answer that says nothing of it. */
  readonly partialSuccess: (signal: Signal, body: Uint8Array) => PartialSuccess | null;
};

export type PartialSuccess = { readonly rejected: number; readonly message: string };

/** Of a message of a collector's, the most that is logged. In UTF-16 units. */
const MAX_MESSAGE = 300;
export const boundedMessage = (text: string): string => text.slice(0, MAX_MESSAGE);

/** The longest text of an attribute. In UTF-16 units. */
const MAX_TEXT = 512;

/**
 * Takes attributes one by one and writes them at once: most of what is exported are these, so that nothing is made of them
 * in between. What is null is left out. `string`, `int` and `bool` are for what many calls have alike.
 */
export abstract class Attributes {
  protected abstract put<T extends AttributeType>(type: T, key: string, value: AttributeValue<T>): void;
  /** The same for one that may be remembered. */
  protected abstract share<T extends "string" | "int" | "bool">(type: T, key: string, value: AttributeValue<T>): void;

  string(key: string, value: string | null | undefined): this {
    if (value != null) this.share("string", key, bounded(value));
    return this;
  }

  int(key: string, value: number | null | undefined): this {
    if (value != null) this.share("int", key, value);
    return this;
  }

  bool(key: string, value: boolean | null | undefined): this {
    if (value != null) this.share("bool", key, value);
    return this;
  }

  /** Of this call alone. */
  ownString(key: string, value: string | null | undefined): this {
    if (value != null) this.put("string", key, bounded(value));
    return this;
  }

  /** Of this call alone. */
  ownInt(key: string, value: number | null | undefined): this {
    if (value != null) this.put("int", key, value);
    return this;
  }

  double(key: string, value: number | null | undefined): this {
    // JSON has no others.
    if (value != null && Number.isFinite(value)) this.put("double", key, value);
    return this;
  }

  strings(key: string, value: readonly string[]): this {
    if (value.length > 0) this.put("strings", key, value.map(bounded));
    return this;
  }
}

const bounded = (text: string): string => (text.length > MAX_TEXT ? text.slice(0, MAX_TEXT) : text);

const NANOS_PER_MS = 1_000_000;

/** A moment as whole milliseconds and nanoseconds: a double has too few digits for both. What is no moment is 0, which says that it is unknown. */
export const momentOf = (ms: number): { readonly whole: number; readonly nanos: number } => {
  if (!Number.isFinite(ms) || ms < 0) return { whole: 0, nanos: 0 };
  const whole = Math.floor(ms);
  const nanos = Math.round((ms - whole) * NANOS_PER_MS);
  return nanos < NANOS_PER_MS ? { whole, nanos } : { whole: whole + 1, nanos: 0 };
};
