import {
  type AnswerScript,
  azurePreamble,
  chunkedCompletion,
  type ToolCallScript,
  wholeCompletion,
} from "./completion.ts";

/** How an answer is put on the wire. Everything left out is what a well-behaved provider does. */
export type Style = {
  /** Wait before the status line. */
  readonly delayMs?: number;
  /** Wait between writes. */
  readonly gapMs?: number;
  /** What the last write waits for. */
  readonly last?: Promise<unknown>;
  /**
   * Where the body is cut into writes (each an HTTP chunk of its own): at events (the default), inside every
   * multi-byte character (`utf8`), at every byte, after every so many bytes, or nowhere (`one`).
   */
  readonly cut?: "event" | "utf8" | "byte" | "one" | number;
  readonly lineEnd?: "\n" | "\r\n";
  /** Puts an SSE comment before every event. */
  readonly comments?: boolean;
  /** Spreads every event's JSON over several `data:` lines. */
  readonly multiLine?: boolean;
  /** False leaves out `data: [DONE]`. */
  readonly done?: boolean;
  /** False leaves out the chunks that carry a `finish_reason`. */
  readonly finish?: boolean;
  /** Begins the stream with Azure's chunk without choices. */
  readonly azure?: boolean;
  /** Misbehaves after so many writes of a stream; half-way through a body that is not a stream. */
  readonly stop?: { readonly after: number; readonly how: "hang" | "reset" | "close" };
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Instead of `text/event-stream` or `application/json`. */
  readonly contentType?: string;
};

/** What goes over the wire for one request. */
export type Plan = {
  readonly delayMs: number;
  /** Absent: not even a status line is sent. */
  readonly head?: { readonly status: number; readonly headers: Readonly<Record<string, string>> };
  readonly writes: readonly Uint8Array[];
  readonly gapMs: number;
  readonly last?: Promise<unknown>;
  readonly end: "complete" | "hang" | "reset" | "close";
};

/** What a reply may look at. */
export type Asking = { readonly model: string; readonly stream: boolean; readonly includeUsage: boolean };

/** One scripted reply: from what was asked to what goes over the wire. */
export type Reply = (asking: Asking) => Plan;

/** A text answer; given as a list, it is streamed in exactly those pieces. */
export const says = (content: string | readonly string[], style: Style = {}): Reply =>
  answers({ choices: [{ content }] }, style);

/** A text answer after some reasoning. */
export const thinks = (reasoning: string | readonly string[], content: string, style: Style = {}): Reply =>
  answers({ choices: [{ reasoning, content }] }, style);

/** A refusal, as OpenAI's models give it: `content` null, `refusal` set. */
export const refuses = (refusal: string | readonly string[], style: Style = {}): Reply =>
  answers({ choices: [{ refusal }] }, style);

/** Tool calls; their arguments are streamed in pieces. */
export const callsTools = (toolCalls: readonly ToolCallScript[], style: Style = {}): Reply =>
  answers({ choices: [{ toolCalls }] }, style);

/** Any answer: several choices, mixed channels, log probabilities, unknown fields. */
export function answers(answer: AnswerScript, style: Style = {}): Reply {
  return (asking) => {
    const type = asking.stream ? "text/event-stream; charset=utf-8" : "application/json";
    const body = asking.stream
      ? events(chunkedCompletion(answer, asking, { finish: style.finish ?? true }), style)
      : [JSON.stringify(wholeCompletion(answer, asking))];
    return plan(body, type, style);
  };
}

/**
 * An error answer. The body is OpenAI's error object unless another is given: an object is sent as JSON, a
 * string as it is (`contentType` tells the client what it is), `""` for an empty body.
 */
export function fails(
  status: number,
  { body, retryAfter, ...style }: Style & { body?: string | object; retryAfter?: number | string } = {},
): Reply {
  const type = status === 429 ? "rate_limit_error" : status < 500 ? "invalid_request_error" : "server_error";
  const error = { message: `scripted failure ${status}`, type, param: null, code: null };
  const text = typeof body === "string" ? body : JSON.stringify(body ?? { error });
  const headers = { ...(retryAfter === undefined ? {} : { "retry-after": `${retryAfter}` }), ...style.headers };
  return () => plan([text], "application/json", { ...style, status, headers });
}

/** Takes the request and never answers. */
export const hangs = (): Reply => () => ({ delayMs: 0, writes: [], gapMs: 0, end: "hang" });

/** Takes the request and breaks the connection without a status line. */
export const breaks = (how: "reset" | "close" = "reset"): Reply => {
  return () => ({ delayMs: 0, writes: [], gapMs: 0, end: how });
};

/** A body written by hand: each element is one write. For shapes nothing else here can make. */
export function sends(writes: readonly (string | Uint8Array)[], style: Omit<Style, "cut"> = {}): Reply {
  return () => ({
    ...plan([], "text/event-stream; charset=utf-8", style),
    writes: writes.map((write) => (typeof write === "string" ? Buffer.from(write) : write)),
  });
}

/** The same reply several times: `...times(3, fails(503)), says("ok")`. */
export const times = (count: number, reply: Reply): Reply[] => Array.from({ length: count }, () => reply);

function plan(body: readonly string[], contentType: string, style: Style): Plan {
  const writes = cut(body, style.cut ?? "event");
  const stream = contentType.startsWith("text/event-stream");
  const { stop } = style;
  return {
    delayMs: style.delayMs ?? 0,
    head: {
      status: style.status ?? 200,
      headers: { "content-type": style.contentType ?? contentType, ...style.headers },
    },
    writes: stop === undefined ? writes : stream ? writes.slice(0, stop.after) : firstHalf(writes),
    gapMs: style.gapMs ?? 0,
    ...(style.last === undefined ? {} : { last: style.last }),
    end: stop?.how ?? "complete",
  };
}

function events(chunks: readonly object[], style: Style): string[] {
  const nl = style.lineEnd ?? "\n";
  const comment = style.comments ? `: keep-alive${nl}${nl}` : "";
  const event = (data: string): string => `${comment}data: ${data.replaceAll("\n", `${nl}data: `)}${nl}${nl}`;
  const all = style.azure ? [azurePreamble(), ...chunks] : chunks;
  const data = all.map((chunk) => JSON.stringify(chunk, undefined, style.multiLine ? 1 : undefined));
  return [...data, ...(style.done === false ? [] : ["[DONE]"])].map(event);
}

function cut(body: readonly string[], where: NonNullable<Style["cut"]>): Uint8Array[] {
  if (where === "event") return body.map((part) => Buffer.from(part));
  const bytes = Buffer.from(body.join(""));
  if (where === "one") return [bytes];
  if (where === "utf8") return cutInsideCharacters(bytes);
  const size = where === "byte" ? 1 : where;
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) => bytes.subarray(at * size, (at + 1) * size));
}

/** Ends a write after the first byte of every multi-byte character. */
function cutInsideCharacters(bytes: Buffer): Uint8Array[] {
  const writes: Uint8Array[] = [];
  let start = 0;
  for (const [at, byte] of bytes.entries()) {
    const leads = byte >= 0xc0;
    if (!leads) continue;
    writes.push(bytes.subarray(start, at + 1));
    start = at + 1;
  }
  return [...writes, bytes.subarray(start)];
}

function firstHalf(writes: readonly Uint8Array[]): Uint8Array[] {
  const bytes = Buffer.concat(writes);
  return [bytes.subarray(0, bytes.length >> 1)];
}
