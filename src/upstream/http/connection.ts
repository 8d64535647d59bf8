import type { TransportAnswer, TransportRequest } from "#upstream/transport";
import { type AnswerSource, HttpAnswer } from "./answer";
import { AnswerParser } from "./answer-parser";
import { ConnectionEnded } from "./invalid-answer";
import { plain } from "./packed-answer";
import type { Bytes } from "./request";

/** A request that waits for its answer, and then for the end of it. Ends with its signal. */
export class Errand {
  readonly answered = Promise.withResolvers<TransportAnswer>();
  /** Null while there is none yet. */
  connection: Connection | null = null;
  /** Its signal has ended it. */
  isGivenUp = false;

  constructor(readonly request: TransportRequest) {
    request.signal.addEventListener("abort", this);
  }

  /** Of the signal. */
  handleEvent(): void {
    this.isGivenUp = true;
    const { reason } = this.request.signal;
    if (this.connection === null) this.fail(reason);
    else this.connection.breakOff(reason, "ours");
  }

  fail(reason: unknown): void {
    this.leave();
    this.answered.reject(reason);
  }

  /** Nothing is left that the signal could end. */
  leave(): void {
    this.request.signal.removeEventListener("abort", this);
  }
}

/** What a connection tells its client. */
export type ConnectionOwner = {
  /** It can serve another request. */
  idle(connection: Connection): void;
  /** It is no more. */
  gone(connection: Connection): void;
  /**
   * It was closed before a byte of an answer came, as kept connections are when the request crosses the close, and
   * nothing can come of asking twice (RFC 9110 §9.2.2). What is posted is its caller's to repeat, who counts it.
   */
  again(errand: Errand): void;
};

/** One connection: one request at a time. */
export class Connection implements AnswerSource {
  /** When a byte last came, or reading went on; `performance.now`. */
  private lastAt = 0;
  /** An idle connection is not used from then on; `performance.now`. */
  usableUntil = 0;
  private socket: Bun.Socket<Connection> | null = null;
  private errand: Errand | null = null;
  private parser = new AnswerParser("GET");
  private answer: HttpAnswer | null = null;
  private unsent: Buffer | null = null;
  private uses = 0;
  private isHeldBack = false;

  constructor(private readonly owner: ConnectionOwner) {}

  opened(socket: Bun.Socket<Connection>): void {
    this.socket = socket;
  }

  /** How long the server lets it wait for the next request, in seconds; null where it does not say. */
  get keptSeconds(): number | null {
    return this.parser.head?.keepsOpenSeconds ?? null;
  }

  send(errand: Errand, { bytes, from, end, isShared }: Bytes): void {
    errand.connection = this;
    this.errand = errand;
    this.parser = new AnswerParser(errand.request.method);
    this.answer = null;
    this.uses += 1;
    this.socket?.ref();
    const sent = this.socket?.write(bytes, from, end - from) ?? -1;
    if (sent < 0) this.breakOff(new ConnectionEnded("ConnectionClosed"), "theirs");
    else if (sent < end - from) {
      const rest = bytes.subarray(from + sent, end);
      this.unsent = isShared ? Buffer.from(rest) : rest;
    }
  }

  drained(): void {
    if (this.unsent === null || this.socket === null) return;
    const sent = this.socket.write(this.unsent);
    if (sent < 0) this.breakOff(new ConnectionEnded("ConnectionClosed"), "theirs");
    else this.unsent = sent < this.unsent.length ? this.unsent.subarray(sent) : null;
  }

  received(bytes: Buffer): void {
    const { errand, parser } = this;
    if (errand === null) {
      // Nobody asked: it must not become the answer to the next request.
      this.close();
      return;
    }
    this.lastAt = performance.now();
    try {
      const piece = parser.take(bytes);
      if (parser.head === null) return;
      const isFirst = this.answer === null;
      this.answer ??= new HttpAnswer(parser.head, this);
      if (piece !== null) this.answer.push(piece);
      const { answer } = this;
      if (parser.isComplete) this.complete();
      if (isFirst) errand.answered.resolve(plain(answer));
    } catch (error) {
      this.breakOff(error, "theirs");
    }
  }

  /** The server sends nothing more, in order or not. */
  ended(error: Error | null): void {
    if (this.errand === null) this.close();
    else if (error !== null) this.breakOff(new ConnectionEnded("ECONNRESET"), "theirs");
    else if (this.parser.end()) this.complete();
    else this.breakOff(new ConnectionEnded("ConnectionClosed"), "theirs");
  }

  breakOff(reason: unknown, whose: "ours" | "theirs"): void {
    const { errand, answer, parser } = this;
    // Before the close, which is reported at once.
    this.errand = null;
    this.close();
    if (errand === null) return;
    if (answer !== null) {
      errand.leave();
      answer.fail(reason, whose === "ours");
      return;
    }
    const isCrossed = this.uses > 1 && !parser.hasBegun && reason instanceof ConnectionEnded;
    if (isCrossed && errand.request.method !== "POST") this.owner.again(errand);
    else errand.fail(reason);
  }

  /** Ends what has waited too long: for its next request, or for more of an answer that has said nothing since then. */
  sweep(now: number, silentSince: number): void {
    if (this.errand === null && now >= this.usableUntil) this.close();
    else if (this.answer !== null && !this.isHeldBack && this.lastAt < silentSince) {
      this.breakOff(new ConnectionEnded("Silence"), "theirs");
    }
  }

  flow(isWanted: boolean): void {
    this.isHeldBack = !isWanted;
    if (!isWanted) this.socket?.pause();
    else {
      this.lastAt = performance.now();
      this.socket?.resume();
    }
  }

  giveUp(): void {
    this.errand?.leave();
    this.errand = null;
    this.close();
  }

  close(): void {
    const { socket } = this;
    if (socket === null) return;
    this.socket = null;
    this.owner.gone(this);
    socket.terminate();
  }

  private complete(): void {
    const { parser, unsent } = this;
    const isReusable = parser.head?.keepsOpen === true && !parser.hasMore && unsent === null;
    this.errand?.leave();
    this.errand = null;
    this.answer?.end();
    this.answer = null;
    if (this.isHeldBack) this.flow(true);
    // An answer to half a request, a server that wants to close, or bytes that nobody asked for.
    if (!isReusable) {
      this.close();
      return;
    }
    // Nobody waits for it: it keeps no process alive.
    this.socket?.unref();
    this.owner.idle(this);
  }
}
