import { AnswerTooLarge } from "#upstream/answer-limit";
import type { AnswerReader } from "#upstream/port";
import type { TransportAnswer } from "#upstream/transport";
import { type AnswerHead, fieldValue } from "./answer-head";
import type { Field } from "./section";

type Read = Bun.ReadableStreamDefaultReadResult<Uint8Array>;

/** More of a body than this waits for its reader in memory only until the connection has stopped reading. Bytes. */
const MAX_WAITING = 131_072;

/** What an answer asks of its connection. */
export type AnswerSource = {
  /** Whether to read on: a slow reader slows the provider and not our memory. */
  flow(isWanted: boolean): void;
  /** Nobody wants the rest. */
  giveUp(): void;
};

/** An answer whose head has come, and whose body comes. */
export class HttpAnswer implements TransportAnswer, AnswerReader {
  private readonly pieces: Buffer[] = [];
  private waitingBytes = 0;
  private isOver = false;
  private failure: { readonly reason: unknown } | null = null;
  private waiting: PromiseWithResolvers<Read> | null = null;
  private isHeldBack = false;

  constructor(
    private readonly head: AnswerHead,
    private readonly source: AnswerSource,
  ) {}

  get status(): number {
    return this.head.status;
  }

  get fields(): readonly Field[] {
    return this.head.fields;
  }

  header(name: string): string | null {
    return fieldValue(this.fields, name);
  }

  /** The next piece of the body. */
  push(piece: Buffer): void {
    if (this.waiting !== null) {
      this.settled().resolve({ done: false, value: piece });
      return;
    }
    this.pieces.push(piece);
    this.waitingBytes += piece.length;
    if (this.waitingBytes <= MAX_WAITING || this.isHeldBack) return;
    this.isHeldBack = true;
    this.source.flow(false);
  }

  end(): void {
    this.isOver = true;
    this.isHeldBack = false;
    if (this.waiting !== null) this.settled().resolve(DONE);
  }

  /** The body breaks off. What has come of it can still be read, unless it is us who break it off. */
  fail(reason: unknown, isOurs: boolean): void {
    if (isOurs) this.pieces.length = 0;
    if (this.isOver || this.failure !== null) return;
    this.failure = { reason };
    this.isHeldBack = false;
    if (this.waiting !== null) this.settled().reject(reason);
  }

  /** All that has come since the last read, in one piece. Not to be called again before it has settled. */
  read(): Promise<Read> {
    if (this.pieces.length > 0) return Promise.resolve({ done: false, value: this.taken() });
    if (this.failure !== null) return Promise.reject(this.failure.reason);
    if (this.isOver) return Promise.resolve(DONE);
    this.waiting = Promise.withResolvers();
    return this.waiting.promise;
  }

  async text(maxBytes: number): Promise<string> {
    const { framing } = this.head;
    if (framing.kind === "length" && framing.length > maxBytes) throw this.tooLarge(maxBytes);
    const pieces: Uint8Array[] = [];
    let size = 0;
    for (let read = await this.read(); !read.done; read = await this.read()) {
      size += read.value.length;
      if (size > maxBytes) throw this.tooLarge(maxBytes);
      pieces.push(read.value);
    }
    return new TextDecoder().decode(pieces.length === 1 ? pieces[0] : Buffer.concat(pieces));
  }

  stream(): AnswerReader | null {
    const { framing } = this.head;
    return framing.kind === "none" || (framing.kind === "length" && framing.length === 0) ? null : this;
  }

  discard(): void {
    this.pieces.length = 0;
    if (!this.isOver && this.failure === null) this.source.giveUp();
  }

  private tooLarge(maxBytes: number): AnswerTooLarge {
    this.discard();
    return new AnswerTooLarge(maxBytes);
  }

  private taken(): Buffer {
    const [first] = this.pieces;
    const all = this.pieces.length === 1 && first !== undefined ? first : Buffer.concat(this.pieces);
    this.pieces.length = 0;
    this.waitingBytes = 0;
    if (this.isHeldBack) {
      this.isHeldBack = false;
      this.source.flow(true);
    }
    return all;
  }

  /** Who waits, who does so no more. */
  private settled(): PromiseWithResolvers<Read> {
    const { waiting } = this;
    this.waiting = null;
    if (waiting === null) throw new TypeError("nobody waits");
    return waiting;
  }
}

const DONE: Read = { done: true, value: undefined };
