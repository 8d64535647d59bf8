/** What came is no answer of HTTP/1.1 as RFC 9110 and RFC 9112 write it. The message quotes nothing of it. */
export class InvalidAnswer extends Error {
  override readonly name = "InvalidAnswer";
  readonly code = "InvalidAnswer";
}

/** The connection ended before the answer did. */
export class ConnectionEnded extends Error {
  override readonly name = "ConnectionEnded";
  constructor(readonly code: "ConnectionClosed" | "ECONNRESET" | "Silence") {
    super(code);
  }
}
