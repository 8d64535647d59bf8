import { Attributes, type AttributeType, type AttributeValue } from "./otlp";

/*
 * Most attributes of a call are those of the call before: who asks, which model, what was decided. What is told in the
 * same order with the same values is written once and copied from then on, all of it at a time.
 */

/** Attributes that are remembered of one kind of message. Models, tools and users can be many: then all begins anew. */
const MAX_RUNS = 4_096;

/** Shared attributes of a message, up to one of them. `Written` is a piece of the message. */
class Run<Written> {
  /** All of it; made when a message first ends here. */
  whole: Written | null = null;
  private latest: Run<Written> | null = null;
  private readonly further = new Map<string, Map<unknown, Run<Written>>>();

  constructor(
    private readonly key: string,
    private readonly value: unknown,
    /** The attribute that it ends with. */
    readonly piece: Written | null,
    readonly before: Run<Written> | null,
  ) {}

  /** What goes on from here with this attribute; null where nothing did so far. */
  next(key: string, value: unknown): Run<Written> | null {
    const { latest } = this;
    if (latest !== null && latest.key === key && latest.value === value) return latest;
    const found = this.further.get(key)?.get(value) ?? null;
    if (found !== null) this.latest = found;
    return found;
  }

  add(key: string, value: unknown, piece: Written): Run<Written> {
    const made = new Run(key, value, piece, this);
    const values = this.further.get(key);
    if (values === undefined) this.further.set(key, new Map([[value, made]]));
    else values.set(value, made);
    return made;
  }

  get pieces(): Written[] {
    const pieces: Written[] = [];
    for (let run: Run<Written> | null = this; run !== null; run = run.before)
      if (run.piece !== null) pieces.push(run.piece);
    return pieces;
  }
}

/** Runs of one kind of message, from one request to the next. */
export class Runs<Written> {
  private begin = new Run<Written>("", null, null, null);
  private count = 0;

  constructor(private readonly joined: (pieces: readonly Written[]) => Written) {}

  get first(): Run<Written> {
    return this.begin;
  }

  longer(run: Run<Written>, key: string, value: unknown, piece: Written): Run<Written> {
    if (this.count >= MAX_RUNS) {
      this.begin = new Run<Written>("", null, null, null);
      this.count = 0;
    }
    this.count += 1;
    return run.add(key, value, piece);
  }

  /** Null for a run of nothing. */
  wholeOf(run: Run<Written>): Written | null {
    if (run.before === null) return null;
    run.whole ??= this.joined(run.pieces);
    return run.whole;
  }
}

/** Attributes of one message after the other. Their order means nothing: shared ones are written when the message ends. */
export abstract class RememberedAttributes<Written> extends Attributes {
  private run: Run<Written>;

  constructor(private readonly runs: Runs<Written>) {
    super();
    this.run = runs.first;
  }

  /** One attribute as a piece. */
  protected abstract pieceOf<T extends AttributeType>(type: T, key: string, value: AttributeValue<T>): Written;
  protected abstract append(piece: Written): void;

  protected override share<T extends AttributeType>(type: T, key: string, value: AttributeValue<T>): void {
    this.run = this.run.next(key, value) ?? this.runs.longer(this.run, key, value, this.pieceOf(type, key, value));
  }

  /** Nothing more is told of this message. */
  protected ended(): void {
    const whole = this.runs.wholeOf(this.run);
    if (whole !== null) this.append(whole);
    this.run = this.runs.first;
  }
}
