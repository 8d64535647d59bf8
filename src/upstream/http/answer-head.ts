import { InvalidAnswer } from "./invalid-answer";
import { type Field, fieldsIn } from "./section";

/** How the end of a body is told (RFC 9112 §6.3). */
export type Framing =
  | { readonly kind: "none" }
  | { readonly kind: "length"; readonly length: number }
  | { readonly kind: "chunked" }
  | { readonly kind: "until-closed" };

export type AnswerHead = {
  readonly status: number;
  readonly fields: readonly Field[];
  readonly framing: Framing;
  /** Whether the connection serves another request, and for how many seconds it says it does; null where it does not say. */
  readonly keepsOpen: boolean;
  readonly keepsOpenSeconds: number | null;
};

/** Some servers leave out the space before a reason that is empty. */
const STATUS_LINE = /^HTTP\/1\.([01]) ([1-5]\d\d)(?: |$)/;

/** Throws `InvalidAnswer`. */
export const checkStatusLine = (line: string): void => void statusIn(line);

const statusIn = (line: string): { readonly minor: string; readonly status: number } => {
  const [, minor, status] = STATUS_LINE.exec(line) ?? [];
  if (minor === undefined) throw new InvalidAnswer("no status line of HTTP/1.1");
  return { minor, status: Number(status) };
};

/** Throws `InvalidAnswer`. */
export const headIn = ([first = "", ...rest]: readonly string[], method: string): AnswerHead => {
  const { minor, status } = statusIn(first);
  const fields = fieldsIn(rest);
  const framing = framingOf(fields, { method, status, minor });
  const connection = (fieldValue(fields, "connection") ?? "").toLowerCase().split(/[\t ]*,[\t ]*/);
  const seconds = /(?:^|[ ,])timeout=(\d{1,6})/i.exec(fieldValue(fields, "keep-alive") ?? "")?.[1];
  return {
    status,
    fields,
    framing,
    keepsOpen: minor === "1" && framing.kind !== "until-closed" && !connection.includes("close"),
    keepsOpenSeconds: seconds === undefined ? null : Number(seconds),
  };
};

/** All of that name, with commas between; null for none. */
export const fieldValue = (fields: readonly Field[], name: string): string | null => {
  let found: string | null = null;
  for (const field of fields) {
    if (field.name === name) found = found === null ? field.value : `${found}, ${field.value}`;
  }
  return found;
};

type Asked = { readonly method: string; readonly status: number; readonly minor: string };

/**
 * Refuses what two readers can understand in two ways (RFC 9112 §6.1, §6.3, §11.2): both a length and chunks, more
 * than one length, a coding that is not just chunked.
 */
const framingOf = (fields: readonly Field[], { method, status, minor }: Asked): Framing => {
  const codings = fields.filter(({ name }) => name === "transfer-encoding");
  const lengths = fields.filter(({ name }) => name === "content-length");
  if (codings.length > 0 && lengths.length > 0) throw new InvalidAnswer("a length and a transfer-encoding");
  if (lengths.length > 1) throw new InvalidAnswer("more than one length");
  const length = lengths[0] === undefined ? null : lengthIn(lengths[0].value);
  if (codings.length > 0 && (minor === "0" || codings.length > 1 || codings[0]?.value.toLowerCase() !== "chunked")) {
    throw new InvalidAnswer("a transfer-encoding that is not chunked");
  }
  if (method === "HEAD" || status < 200 || status === 204 || status === 304) return NONE;
  if (codings.length > 0) return CHUNKED;
  return length === null ? UNTIL_CLOSED : { kind: "length", length };
};

const NONE: Framing = { kind: "none" };
const CHUNKED: Framing = { kind: "chunked" };
const UNTIL_CLOSED: Framing = { kind: "until-closed" };

const lengthIn = (text: string): number => {
  const length = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  if (!Number.isSafeInteger(length)) throw new InvalidAnswer("a length that is no number");
  return length;
};
