const HEAD_END = Buffer.from("\r\n\r\n");
const LINE_END = Buffer.from("\r\n");

/** A whole request message. */
export type RequestMessage = {
  readonly method: string;
  readonly target: string;
  readonly headers: Headers;
  readonly text: string;
  readonly expectsContinue: boolean;
};

/** Collects bytes of one connection and hands out whole requests (RFC 9112: length-delimited or chunked). */
export class Reader {
  #bytes: Buffer = Buffer.alloc(0);

  push(bytes: Uint8Array): void {
    this.#bytes = Buffer.concat([this.#bytes, bytes]);
  }

  /** The next whole request, or undefined while more bytes are needed. Throws on what is not HTTP. */
  next(): RequestMessage | undefined {
    const headEnd = this.#bytes.indexOf(HEAD_END);
    if (headEnd < 0) return undefined;
    const [startLine = "", ...lines] = this.#bytes.toString("latin1", 0, headEnd).split("\r\n");
    const [method, target, version] = startLine.split(" ");
    if (!method || !target || version !== "HTTP/1.1") throw new Error(`not an HTTP/1.1 request: ${startLine}`);
    const headers = readHeaders(lines);

    const start = headEnd + HEAD_END.length;
    const chunked = headers.get("transfer-encoding")?.toLowerCase() === "chunked";
    const body = chunked ? readChunked(this.#bytes, start) : this.#readLength(start, headers);
    if (body === undefined) return undefined;
    this.#bytes = this.#bytes.subarray(body.end);
    const expectsContinue = headers.get("expect")?.toLowerCase() === "100-continue";
    return { method, target, headers, text: body.content.toString("utf8"), expectsContinue };
  }

  #readLength(start: number, headers: Headers): Body | undefined {
    const length = Number(headers.get("content-length") ?? 0);
    if (!Number.isSafeInteger(length) || length < 0) throw new Error("bad content-length");
    if (this.#bytes.length < start + length) return undefined;
    return { content: this.#bytes.subarray(start, start + length), end: start + length };
  }
}

type Body = { content: Buffer; end: number };

function readHeaders(lines: readonly string[]): Headers {
  const headers = new Headers();
  for (const line of lines) {
    const colon = line.indexOf(":");
    if (colon < 1) throw new Error(`not a header line: ${line}`);
    headers.append(line.slice(0, colon), line.slice(colon + 1).trim());
  }
  return headers;
}

function readChunked(bytes: Buffer, start: number): Body | undefined {
  const parts: Buffer[] = [];
  for (let at = start; ; ) {
    const lineEnd = bytes.indexOf(LINE_END, at);
    if (lineEnd < 0) return undefined;
    const size = Number.parseInt(bytes.toString("latin1", at, lineEnd), 16);
    if (!(size >= 0)) throw new Error("bad chunk size");
    const content = lineEnd + LINE_END.length;
    const end = content + size + LINE_END.length;
    if (bytes.length < end) return undefined;
    if (size === 0) return { content: Buffer.concat(parts), end };
    parts.push(bytes.subarray(content, content + size));
    at = end;
  }
}
