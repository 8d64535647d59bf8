import type { TransportRequest } from "#upstream/transport";

/** Where a request goes, as its URL says it. */
export type Target = {
  readonly hostname: string;
  readonly port: number;
  /** For the header `host`. */
  readonly host: string;
  /** Path and query. */
  readonly path: string;
};

/** Throws `TypeError` for what is no plain http URL. */
export const targetOf = (url: string): Target => {
  const { protocol, hostname, port, host, pathname, search, username, password } = new URL(url);
  if (protocol !== "http:" || username !== "" || password !== "") throw new TypeError("not a plain http URL");
  const path = pathname + search;
  // The parser has escaped everything else: this is for the day on which it does not.
  if (!/^[\x21-\x7e]+$/.test(path)) throw new TypeError("a path that cannot be sent");
  return { hostname: hostname.replace(/^\[|\]$/g, ""), port: port === "" ? 80 : Number(port), host, path };
};

/** The bytes from one index to another. What is shared holds until the next request is written. */
export type Bytes = {
  readonly bytes: Buffer;
  readonly from: number;
  readonly end: number;
  readonly isShared: boolean;
};

/** Bodies of up to so many UTF-16 units are written into one piece of memory that all requests share. */
const SHARED_BODY_UNITS = 65_536;
const SHARED_HEAD_BYTES = 16_384;
/** UTF-8 has at most three bytes a unit. */
const SHARED_BYTES = SHARED_HEAD_BYTES + 3 * SHARED_BODY_UNITS;

/** What we say of each connection and body ourselves. */
const OURS: ReadonlySet<string> = new Set([
  ...["connection", "content-length", "expect", "host", "keep-alive", "proxy-connection"],
  ...["te", "trailer", "transfer-encoding", "upgrade"],
]);

/** Writes requests: head and body in one piece, for one write. */
export class RequestWriter {
  private shared: Buffer | null = null;
  private readonly lines = new WeakMap<Headers, string>();

  /** Throws `TypeError` for headers that cannot be sent, before anybody connects for them. */
  check({ headers }: TransportRequest): void {
    this.linesOf(headers);
  }

  /** Throws as `check` does. */
  bytesOf({ method, headers, body }: TransportRequest, { host, path }: Target): Bytes {
    const begin = `${method} ${path} HTTP/1.1\r\nhost: ${host}\r\n${this.linesOf(headers)}`;
    if (body === null) return shown(Buffer.from(`${begin}\r\n`, "latin1"));
    if (body.length > SHARED_BODY_UNITS) return alone(begin, body);
    this.shared ??= Buffer.allocUnsafeSlow(SHARED_BYTES);
    // The body first, which says its length; then the head before it.
    const length = this.shared.write(body, SHARED_HEAD_BYTES, "utf8");
    const head = `${begin}${lengthLine(length)}`;
    if (head.length > SHARED_HEAD_BYTES) return alone(begin, body);
    const from = SHARED_HEAD_BYTES - head.length;
    this.shared.write(head, from, "latin1");
    return { bytes: this.shared, from, end: SHARED_HEAD_BYTES + length, isShared: true };
  }

  private linesOf(headers: Headers): string {
    const known = this.lines.get(headers);
    if (known !== undefined) return known;
    const lines = linesIn(headers);
    this.lines.set(headers, lines);
    return lines;
  }
}

/** Ends the head, too. */
const lengthLine = (bytes: number): string => `content-length: ${bytes}\r\n\r\n`;

const shown = (bytes: Buffer): Bytes => ({ bytes, from: 0, end: bytes.length, isShared: false });

/** In memory of its own, once: bodies may have tens of megabytes. */
const alone = (begin: string, body: string): Bytes => {
  const length = Buffer.byteLength(body, "utf8");
  const head = `${begin}${lengthLine(length)}`;
  const bytes = Buffer.allocUnsafeSlow(head.length + length);
  bytes.write(head, 0, "latin1");
  // Less is written only if the runtime counts and writes differently, which would make two requests of one.
  if (bytes.write(body, head.length, "utf8") !== length) throw new TypeError("a body of another length than was said");
  return shown(bytes);
};

/** `Headers` lets no line break through, but other control characters (stops header injection, CWE-113). */
const linesIn = (headers: Headers): string => {
  let lines = "connection: keep-alive\r\n";
  for (const [name, value] of headers) {
    if (OURS.has(name)) continue;
    if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) throw new TypeError(`the header ${name} cannot be sent`);
    lines += `${name}: ${value}\r\n`;
  }
  // As `fetch` does.
  if (!headers.has("accept")) lines += "accept: */*\r\n";
  if (!headers.has("user-agent")) lines += `user-agent: ${navigator.userAgent}\r\n`;
  return lines;
};
