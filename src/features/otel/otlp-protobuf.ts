import {
  type AttributeType,
  type AttributeValue,
  boundedMessage,
  type Encoding,
  type LogEntry,
  momentOf,
  type Origin,
  type PartialSuccess,
  type RequestWriter,
  SEVERITY,
  type Span,
  type TellAttributes,
} from "./otlp";
import { RememberedAttributes, Runs } from "./runs";

/*
 * OTLP as protobuf, written from the end: the length of a message stands before it, and is known once it is written.
 * Field numbers are of opentelemetry-proto 1.x; `test/features/otel` holds what is written against its schema.
 */

/** How a field's value is written, in the low bits of its tag. */
const VARINT = 0;
const FIXED64 = 1;
const LENGTH = 2;
const FIXED32 = 5;

const FIRST_BYTES = 16_384;
/** A request may be larger than the one before. */
const SPARE = 1.1;
/** The longest varint: 64 bits, 7 a byte. */
const MAX_VARINT = 10;
const NANOS_PER_MS = 1_000_000;
const TWO_TO_11 = 2_048;
const TWO_TO_21 = 2_097_152;
const TWO_TO_32 = 4_294_967_296;
/** Most attributes are shorter. */
const ATTRIBUTE_BYTES = 128;
/** Texts up to here are written byte by byte: a call of the runtime takes longer. In UTF-16 units. */
const SHORT_TEXT = 64;
const MAX_ASCII = 127;
const DOUBLE_BYTES = 8;

/** Values of hexadecimal digits in small letters, by their codes. */
const digitOf = (code: number): number => (code < 58 ? code - 48 : code - 87);

/** Writes fields from the last to the first. */
class BackwardWriter {
  private bytes: Buffer<ArrayBuffer>;
  private at: number;
  private readonly double64 = new Float64Array(1);
  private readonly doubleBytes = new Uint8Array(this.double64.buffer);

  constructor(firstBytes = FIRST_BYTES) {
    this.bytes = Buffer.allocUnsafe(firstBytes);
    this.at = firstBytes;
  }

  /** Bytes written so far. */
  get length(): number {
    return this.bytes.length - this.at;
  }

  finish(): Uint8Array<ArrayBuffer> {
    return this.bytes.subarray(this.at);
  }

  varint(field: number, value: number): void {
    this.plainVarint(value);
    this.tag(field, VARINT);
  }

  /** A moment in Unix milliseconds as nanoseconds, of which a double has too few digits: in two halves. */
  moment(field: number, ms: number): void {
    const { whole, nanos } = momentOf(ms);
    const upper = Math.floor(whole / TWO_TO_21) * NANOS_PER_MS;
    const rest = (upper % TWO_TO_11) * TWO_TO_21 + (whole % TWO_TO_21) * NANOS_PER_MS + nanos;
    this.uint32(Math.floor(upper / TWO_TO_11) + Math.floor(rest / TWO_TO_32));
    this.uint32(rest % TWO_TO_32);
    this.tag(field, FIXED64);
  }

  fixed32(field: number, value: number): void {
    this.uint32(value);
    this.tag(field, FIXED32);
  }

  double(field: number, value: number): void {
    this.reserve(DOUBLE_BYTES);
    this.at -= DOUBLE_BYTES;
    // Little-endian, as every machine that the runtime is made for.
    this.double64[0] = value;
    for (let index = 0; index < DOUBLE_BYTES; index += 1) this.bytes[this.at + index] = this.doubleBytes[index] ?? 0;
    this.tag(field, FIXED64);
  }

  text(field: number, value: string): void {
    const length = this.shortText(value) ? value.length : this.longText(value);
    this.begun(field, length);
  }

  /** Writes a short text of ASCII; false for any other, of which nothing is written. */
  private shortText(value: string): boolean {
    const { length } = value;
    if (length > SHORT_TEXT) return false;
    this.reserve(length);
    const at = this.at - length;
    for (let index = 0; index < length; index += 1) {
      const code = value.charCodeAt(index);
      if (code > MAX_ASCII) return false;
      this.bytes[at + index] = code;
    }
    this.at = at;
    return true;
  }

  private longText(value: string): number {
    const length = Buffer.byteLength(value);
    this.reserve(length);
    this.at -= length;
    this.bytes.write(value, this.at);
    return length;
  }

  hex(field: number, value: string): void {
    const length = value.length / 2;
    this.reserve(length);
    this.at -= length;
    for (let index = 0; index < length; index += 1)
      this.bytes[this.at + index] =
        digitOf(value.charCodeAt(2 * index)) * 16 + digitOf(value.charCodeAt(2 * index + 1));
    this.begun(field, length);
  }

  /** Bytes that are whole fields already. */
  raw(fields: Uint8Array): void {
    this.reserve(fields.length);
    this.at -= fields.length;
    this.bytes.set(fields, this.at);
  }

  /** Begins a field whose value is all that has been written since `length` was so. */
  message(field: number, since: number): void {
    this.begun(field, this.length - since);
  }

  private begun(field: number, length: number): void {
    this.plainVarint(length);
    this.tag(field, LENGTH);
  }

  private tag(field: number, type: number): void {
    this.plainVarint(field * 8 + type);
  }

  private uint32(value: number): void {
    this.reserve(4);
    this.at -= 4;
    this.bytes[this.at] = value;
    this.bytes[this.at + 1] = value >>> 8;
    this.bytes[this.at + 2] = value >>> 16;
    this.bytes[this.at + 3] = value >>> 24;
  }

  /** Of whole numbers from 0 to 2^53. */
  private plainVarint(value: number): void {
    this.reserve(MAX_VARINT);
    let size = 1;
    for (let rest = value; rest >= 128; rest = Math.floor(rest / 128)) size += 1;
    this.at -= size;
    let rest = value;
    for (let at = this.at; at < this.at + size - 1; at += 1) {
      this.bytes[at] = (rest % 128) + 128;
      rest = rest < TWO_TO_32 ? rest >>> 7 : Math.floor(rest / 128);
    }
    this.bytes[this.at + size - 1] = rest;
  }

  private reserve(size: number): void {
    if (this.at < size) this.grow(size);
  }

  private grow(size: number): void {
    const { length } = this;
    const larger = Buffer.allocUnsafe(Math.max(this.bytes.length * 2, length + size));
    this.bytes.copy(larger, larger.length - length, this.at);
    this.at = larger.length - length;
    this.bytes = larger;
  }
}

const STRING_VALUE = 1;

/** Fields that messages of `AnyValue` have by the type of the value. */
const WRITE: { readonly [T in AttributeType]: (to: BackwardWriter, value: AttributeValue<T>) => void } = {
  string: (to, value) => to.text(STRING_VALUE, value),
  bool: (to, value) => to.varint(2, Number(value)),
  int: (to, value) => to.varint(3, value),
  double: (to, value) => to.double(4, value),
  strings: (to, value) => {
    const begin = to.length;
    for (const text of value.toReversed()) {
      const one = to.length;
      to.text(STRING_VALUE, text);
      to.message(1, one);
    }
    to.message(5, begin);
  },
};

const writeAttribute = <T extends AttributeType>(
  to: BackwardWriter,
  type: T,
  key: string,
  value: AttributeValue<T>,
): void => {
  const begin = to.length;
  WRITE[type](to, value);
  to.message(2, begin);
  to.text(1, key);
};

/** What is remembered of one kind of message, from one request to the next. */
class Known {
  /** What a request took last, in bytes: growing to it copies all of it several times. */
  requestBytes = FIRST_BYTES;
  readonly resources = runsOf();
  readonly items = runsOf();
}

const runsOf = () => new Runs<Uint8Array>((pieces) => Buffer.concat(pieces));

/** Writes attributes as a field of the message that is written. */
class ProtobufAttributes extends RememberedAttributes<Uint8Array> {
  constructor(
    private readonly to: BackwardWriter,
    private readonly field: number,
    runs: Runs<Uint8Array>,
  ) {
    super(runs);
  }

  write(tell: TellAttributes): void {
    tell(this);
    this.ended();
  }

  protected override put<T extends AttributeType>(type: T, key: string, value: AttributeValue<T>): void {
    this.writeTo(this.to, type, key, value);
  }

  protected override pieceOf<T extends AttributeType>(type: T, key: string, value: AttributeValue<T>): Uint8Array {
    const writer = new BackwardWriter(ATTRIBUTE_BYTES);
    this.writeTo(writer, type, key, value);
    return writer.finish();
  }

  protected override append(piece: Uint8Array): void {
    this.to.raw(piece);
  }

  private writeTo<T extends AttributeType>(to: BackwardWriter, type: T, key: string, value: AttributeValue<T>): void {
    const begin = to.length;
    writeAttribute(to, type, key, value);
    to.message(this.field, begin);
  }
}

/** Writes the attributes of one message. */
type WriteAttributes = (tell: TellAttributes) => void;

const writeSpan = (to: BackwardWriter, span: Span, attributes: WriteAttributes): void => {
  to.fixed32(16, span.flags);
  if (span.status !== 0) {
    const begin = to.length;
    to.varint(3, span.status);
    to.message(15, begin);
  }
  attributes(span.attributes);
  to.moment(8, span.end);
  to.moment(7, span.start);
  to.varint(6, span.kind);
  to.text(5, span.name);
  if (span.parentId !== null) to.hex(4, span.parentId);
  if (span.traceState !== null) to.text(3, span.traceState);
  to.hex(2, span.spanId);
  to.hex(1, span.traceId);
};

const writeLog = (to: BackwardWriter, log: LogEntry, attributes: WriteAttributes): void => {
  to.text(12, log.eventName);
  to.moment(11, log.observedAt);
  to.hex(10, log.spanId);
  to.hex(9, log.traceId);
  to.fixed32(8, log.flags);
  attributes(log.attributes);
  const begin = to.length;
  to.text(STRING_VALUE, log.body);
  to.message(5, begin);
  to.text(3, log.severity.toUpperCase());
  to.varint(2, SEVERITY[log.severity]);
  to.moment(1, log.at);
};

/** How items of a signal are written, and the field that their attributes are. */
type ItemForm<Item> = {
  readonly attributes: number;
  readonly write: (to: BackwardWriter, item: Item, attributes: WriteAttributes) => void;
};

/** A request of one resource and one scope; both signals number these fields alike. Items come out in reverse order, which has no meaning. */
const writer = <Item>({ resource, scope }: Origin, known: Known, form: ItemForm<Item>): RequestWriter<Item> => {
  const to = new BackwardWriter(known.requestBytes);
  const sink = new ProtobufAttributes(to, form.attributes, known.items);
  const attributes: WriteAttributes = (tell) => sink.write(tell);
  return {
    add: (item) => {
      const begin = to.length;
      form.write(to, item, attributes);
      to.message(2, begin);
    },
    finish: () => {
      const scopeBegin = to.length;
      to.text(2, scope.version);
      to.text(1, scope.name);
      to.message(1, scopeBegin);
      to.message(2, 0);
      const resourceBegin = to.length;
      new ProtobufAttributes(to, 1, known.resources).write(resource);
      to.message(1, resourceBegin);
      to.message(1, 0);
      known.requestBytes = Math.max(FIRST_BYTES, Math.ceil(to.length * SPARE));
      return to.finish();
    },
  };
};

const SPANS: ItemForm<Span> = { attributes: 9, write: writeSpan };
const LOGS: ItemForm<LogEntry> = { attributes: 6, write: writeLog };

type Field = { readonly field: number; readonly value: number | Uint8Array };

/** The fields of a message, one level deep. Throws `RangeError` for what is none. */
function* fieldsOf(bytes: Uint8Array): Generator<Field, void> {
  let at = 0;
  const varint = (): number => {
    let value = 0;
    for (let shift = 0; shift < MAX_VARINT; shift += 1) {
      const byte = bytes[at];
      if (byte === undefined) break;
      at += 1;
      value += (byte & 127) * 2 ** (7 * shift);
      if (byte < 128) return value;
    }
    throw new RangeError("no varint");
  };
  while (at < bytes.length) {
    const tag = varint();
    const [field, type] = [Math.floor(tag / 8), tag % 8];
    if (type === VARINT) {
      yield { field, value: varint() };
      continue;
    }
    const length = type === FIXED64 ? 8 : type === FIXED32 ? 4 : type === LENGTH ? varint() : Number.NaN;
    if (!(at + length <= bytes.length)) throw new RangeError("no field");
    yield { field, value: bytes.subarray(at, at + length) };
    at += length;
  }
}

const partialSuccessOf = (body: Uint8Array): PartialSuccess | null => {
  for (const { field, value } of fieldsOf(body)) {
    if (field === 1 && typeof value !== "number") return partialSuccessIn(value);
  }
  return null;
};

const partialSuccessIn = (body: Uint8Array): PartialSuccess => {
  let rejected = 0;
  let message = "";
  for (const { field, value } of fieldsOf(body)) {
    if (field === 1 && typeof value === "number") rejected = value;
    if (field === 2 && typeof value !== "number") message = new TextDecoder().decode(value);
  }
  // Of a negative number, which is of no use here, the varint is larger than all that can be counted.
  return { rejected: Number.isSafeInteger(rejected) ? rejected : 0, message: boundedMessage(message) };
};

/** Remembers attributes from one request to the next. */
export const protobufEncoding = (): Encoding => {
  const [ofSpans, ofLogs] = [new Known(), new Known()];
  return {
    contentType: "application/x-protobuf",
    spans: (origin) => writer(origin, ofSpans, SPANS),
    logs: (origin) => writer(origin, ofLogs, LOGS),
    partialSuccess,
  };
};

const partialSuccess: Encoding["partialSuccess"] = (_signal, body) => {
  try {
    return partialSuccessOf(body);
  } catch (error) {
    // A collector that answers something else has taken all that it was sent.
    if (error instanceof RangeError) return null;
    throw error;
  }
};
