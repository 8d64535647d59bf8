import { type BodyReader, bodyReaderOf } from "./answer-body";
import { type AnswerHead, checkStatusLine, headIn } from "./answer-head";
import { InvalidAnswer } from "./invalid-answer";
import { SectionReader } from "./section";

/** `100 Continue`, `103 Early Hints`: more of them have no good purpose. */
const MAX_INTERIM = 16;

/** One answer to one request, from bytes however they are cut. It knows nothing of sockets. */
export class AnswerParser {
  /** Null until it is there. */
  head: AnswerHead | null = null;
  /** Whether a byte has come, be it of an interim answer. */
  hasBegun = false;
  private section = new SectionReader(checkStatusLine);
  private body: BodyReader | null = null;
  private interim = 0;

  constructor(private readonly method: string) {}

  get isComplete(): boolean {
    return this.body?.isOver ?? false;
  }

  /** Whether bytes came behind the answer's end: nobody asked for them. */
  get hasMore(): boolean {
    return this.body?.hasMore ?? false;
  }

  /** The part of the body in these bytes, which are the parser's from now on; null for none. Throws `InvalidAnswer`. */
  take(bytes: Buffer): Buffer | null {
    this.hasBegun = true;
    let at = 0;
    while (this.body === null) {
      at = this.section.take(bytes, at);
      if (at < 0) return null;
      this.takeHead(headIn(this.section.read, this.method));
    }
    return this.body.take(bytes, at);
  }

  /** The connection has ended in order. True where that ends the answer, too. */
  end(): boolean {
    return this.body?.endsWithConnection ?? false;
  }

  private takeHead(head: AnswerHead): void {
    if (head.status >= 200) {
      this.head = head;
      this.body = bodyReaderOf(head.framing);
      return;
    }
    this.interim += 1;
    if (head.status === 101) throw new InvalidAnswer("another protocol that was not asked for");
    if (this.interim > MAX_INTERIM) throw new InvalidAnswer("too many interim answers");
    this.section = new SectionReader(checkStatusLine);
  }
}
