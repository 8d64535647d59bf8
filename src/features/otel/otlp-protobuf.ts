import {
  Attributes,
  type AttributeType,
  type AttributeValue,
  boundedMessage,
  type Encoding,
  type LogEntry,
  type Origin,
  type PartialSuccess,
  type RequestWriter,
  SEVERITY,
  type Span,
  type TellAttributes,
} from "./otlp";

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
/** Of each name of an attribute, values whose bytes are remembered: most of all calls have the same. */
const MAX_KNOWN = 128;
const MAX_NAMES = 256;
/** Most attributes are shorter. */
const ATTRIBUTE_BYTES = 128;

/** Writes fields from the last to the first. */
class BackwardWriter {
  private bytes: Buffer<ArrayBuffer>;
  private at: number;

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

  /** A moment in Unix milliseconds as nanoseconds, which a double has too few digits for: as `nanosOf`, in two halves. */
  moment(field: number, ms: number): void {
    const isKnown = Number.isFinite(ms) && ms >= 0;
    const whole = isKnown ? Math.floor(ms) : 0;
    const fraction = isKnown ? Math.round((ms - whole) * NANOS_PER_MS) : 0;
    const upper = Math.floor(whole / TWO_TO_21) * NANOS_PER_MS;
    const rest = (upper % TWO_TO_11) * TWO_TO_21 + (whole % TWO_TO_21) * NANOS_PER_MS + fraction;
    this.reserve(8);
    this.at -= 8;
    this.bytes.writeUInt32LE(rest % TWO_TO_32, this.at);
    this.bytes.writeUInt32LE(Math.floor(upper / TWO_TO_11) + Math.floor(rest / TWO_TO_32), this.at + 4);
    this.tag(field, FIXED64);
  }

  fixed32(field: number, value: number): void {
    this.reserve(4);
    this.at -= 4;
    this.bytes.writeUInt32LE(value, this.at);
    this.tag(field, FIXED32);
  }

  double(field: number, value: number): void {
    this.reserve(8);
    this.at -= 8;
    this.bytes.writeDoubleLE(value, this.at);
    this.tag(field, FIXED64);
  }

  text(field: number, value: string): void {
    const length = Buffer.byteLength(value);
    this.reserve(length);
    this.at -= length;
    this.bytes.write(value, this.at);
    this.begun(field, length);
  }

  hex(field: number, value: string): void {
    const length = value.length / 2;
    this.reserve(length);
    this.at -= length;
    this.bytes.write(value, this.at, "hex");
    this.begun(field, length);
  }

  /** Bytes that are a field already. */
  raw(field: Uint8Array): void {
    this.reserve(field.length);
    this.at -= field.length;
    this.bytes.set(field, this.at);
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
    if (this.at >= size) return;
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

/** Attributes as they were written before. */
class KnownAttributes {
  /** What a request took last, in bytes: growing to it copies all of it several times. */
  requestBytes = FIRST_BYTES;

  private readonly names = new Map<string, Map<unknown, Uint8Array>>();

  /** Null for one that is not known, and is not remembered. */
  bytesOf<T extends "string" | "int">(type: T, key: string, value: AttributeValue<T>): Uint8Array | null {
    let values = this.names.get(key);
    if (values === undefined) {
      if (this.names.size >= MAX_NAMES) return null;
      values = new Map();
      this.names.set(key, values);
    }
    const known = values.get(value);
    if (known !== undefined || values.size >= MAX_KNOWN) return known ?? null;
    const writer = new BackwardWriter(ATTRIBUTE_BYTES);
    writeAttribute(writer, type, key, value);
    const bytes = writer.finish();
    values.set(value, bytes);
    return bytes;
  }
}

/** Writes attributes as a field of the message that is written. */
class ProtobufAttributes extends Attributes {
  field = 0;

  constructor(
    private readonly to: BackwardWriter,
    private readonly known: KnownAttributes,
  ) {
    super();
  }

  protected override put<T extends AttributeType>(type: T, key: string, value: AttributeValue<T>): void {
    const { to } = this;
    const begin = to.length;
    const known = this.knownOf(type, key, value);
    if (known === null) writeAttribute(to, type, key, value);
    else to.raw(known);
    to.message(this.field, begin);
  }

  private knownOf(type: AttributeType, key: string, value: unknown): Uint8Array | null {
    if (type === "string" && typeof value === "string") return this.known.bytesOf(type, key, value);
    return type === "int" && typeof value === "number" ? this.known.bytesOf(type, key, value) : null;
  }
}

/** Writes the attributes of one message. */
type WriteAttributes = (field: number, tell: TellAttributes) => void;

const writeSpan = (to: BackwardWriter, span: Span, attributes: WriteAttributes): void => {
  to.fixed32(16, span.flags);
  if (span.status !== 0) {
    const begin = to.length;
    to.varint(3, span.status);
    to.message(15, begin);
  }
  attributes(9, span.attributes);
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
  attributes(6, log.attributes);
  const begin = to.length;
  to.text(STRING_VALUE, log.body);
  to.message(5, begin);
  to.text(3, log.severity.toUpperCase());
  to.varint(2, SEVERITY[log.severity]);
  to.moment(1, log.at);
};

/** A request of one resource and one scope; both signals number these fields alike. Items come out in reverse order, which has no meaning. */
const writer = <Item>(
  { resource, scope }: Origin,
  known: KnownAttributes,
  write: (to: BackwardWriter, item: Item, attributes: WriteAttributes) => void,
): RequestWriter<Item> => {
  const to = new BackwardWriter(known.requestBytes);
  const sink = new ProtobufAttributes(to, known);
  const attributes: WriteAttributes = (field, tell) => {
    sink.field = field;
    tell(sink);
  };
  return {
    add: (item) => {
      const begin = to.length;
      write(to, item, attributes);
      to.message(2, begin);
    },
    finish: () => {
      const scopeBegin = to.length;
      to.text(2, scope.version);
      to.text(1, scope.name);
      to.message(1, scopeBegin);
      to.message(2, 0);
      const resourceBegin = to.length;
      attributes(1, resource);
      to.message(1, resourceBegin);
      to.message(1, 0);
      known.requestBytes = Math.max(FIRST_BYTES, Math.ceil(to.length * SPARE));
      return to.finish();
    },
  };
};

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
  const [ofSpans, ofLogs] = [new KnownAttributes(), new KnownAttributes()];
  return {
    contentType: "application/x-protobuf",
    spans: (origin) => writer(origin, ofSpans, writeSpan),
    logs: (origin) => writer(origin, ofLogs, writeLog),
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
