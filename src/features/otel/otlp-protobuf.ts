import {
  type Attribute,
  boundedMessage,
  type Encoding,
  type LogEntry,
  nanosOf,
  type Origin,
  type PartialSuccess,
  type RequestWriter,
  SEVERITY,
  type Span,
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
/** The longest varint: 64 bits, 7 a byte. */
const MAX_VARINT = 10;
const TWO_TO_32 = 4_294_967_296;
/** In UTF-16 units. */
const SHORT_TEXT = 64;
const MAX_KEYS = 1_000;
const MAX_KEY_BYTES = 64;

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
    return new Uint8Array(this.bytes.subarray(this.at));
  }

  varint(field: number, value: number): void {
    this.plainVarint(value);
    this.tag(field, VARINT);
  }

  fixed64(field: number, value: bigint): void {
    this.reserve(8);
    this.at -= 8;
    this.bytes.writeBigUInt64LE(value, this.at);
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
    if (value.length <= SHORT_TEXT && this.ascii(value)) {
      this.begun(field, value.length);
      return;
    }
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

  /** Whether all of it was written: a short text is faster so than by the runtime's own code. */
  private ascii(value: string): boolean {
    const { length } = value;
    this.reserve(length);
    const begin = this.at - length;
    for (let index = 0; index < length; index += 1) {
      const unit = value.charCodeAt(index);
      if (unit >= 128) return false;
      this.bytes[begin + index] = unit;
    }
    this.at = begin;
    return true;
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

type KeyOf = (key: string) => Uint8Array;

const writeValue = (to: BackwardWriter, attribute: Attribute): void => {
  if (attribute.type === "string") to.text(STRING_VALUE, attribute.value);
  else if (attribute.type === "bool") to.varint(2, Number(attribute.value));
  else if (attribute.type === "strings") writeTexts(to, attribute.value);
  else if (attribute.type === "int") to.varint(3, attribute.value);
  else to.double(4, attribute.value);
};

const writeTexts = (to: BackwardWriter, texts: readonly string[]): void => {
  const begin = to.length;
  for (const text of texts.toReversed()) {
    const value = to.length;
    to.text(STRING_VALUE, text);
    to.message(1, value);
  }
  to.message(5, begin);
};

/** Names of attributes as fields, of which there are few. */
const keys = (): ((key: string) => Uint8Array) => {
  const known = new Map<string, Uint8Array>();
  return (key) => {
    const found = known.get(key);
    if (found !== undefined) return found;
    const writer = new BackwardWriter(MAX_KEY_BYTES);
    writer.text(1, key);
    const made = writer.finish();
    if (known.size < MAX_KEYS) known.set(key, made);
    return made;
  };
};

const writeAttributes = (to: BackwardWriter, field: number, attributes: readonly Attribute[], key: KeyOf): void => {
  for (let at = attributes.length - 1; at >= 0; at -= 1) {
    const attribute = attributes[at];
    if (attribute === undefined) continue;
    const begin = to.length;
    writeValue(to, attribute);
    to.message(2, begin);
    to.raw(key(attribute.key));
    to.message(field, begin);
  }
};

const writeSpan = (to: BackwardWriter, span: Span, key: KeyOf): void => {
  to.fixed32(16, span.flags);
  if (span.status !== 0) {
    const begin = to.length;
    to.varint(3, span.status);
    to.message(15, begin);
  }
  writeAttributes(to, 9, span.attributes, key);
  to.fixed64(8, nanosOf(span.end));
  to.fixed64(7, nanosOf(span.start));
  to.varint(6, span.kind);
  to.text(5, span.name);
  if (span.parentId !== null) to.hex(4, span.parentId);
  if (span.traceState !== null) to.text(3, span.traceState);
  to.hex(2, span.spanId);
  to.hex(1, span.traceId);
};

const writeLog = (to: BackwardWriter, log: LogEntry, key: KeyOf): void => {
  to.text(12, log.eventName);
  to.fixed64(11, nanosOf(log.observedAt));
  to.hex(10, log.spanId);
  to.hex(9, log.traceId);
  to.fixed32(8, log.flags);
  writeAttributes(to, 6, log.attributes, key);
  const begin = to.length;
  to.text(STRING_VALUE, log.body);
  to.message(5, begin);
  to.text(3, log.severity.toUpperCase());
  to.varint(2, SEVERITY[log.severity]);
  to.fixed64(1, nanosOf(log.at));
};

/** A request of one resource and one scope; both signals number these fields alike. Items come out in reverse order, which has no meaning. */
const writer = <Item>(
  { resource, scope }: Origin,
  write: (to: BackwardWriter, item: Item, key: KeyOf) => void,
): RequestWriter<Item> => {
  const key = keys();
  const to = new BackwardWriter();
  return {
    add: (item) => {
      const begin = to.length;
      write(to, item, key);
      to.message(2, begin);
    },
    finish: () => {
      const scopeBegin = to.length;
      to.text(2, scope.version);
      to.text(1, scope.name);
      to.message(1, scopeBegin);
      to.message(2, 0);
      const resourceBegin = to.length;
      writeAttributes(to, 1, resource, key);
      to.message(1, resourceBegin);
      to.message(1, 0);
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

export const PROTOBUF_ENCODING: Encoding = {
  contentType: "application/x-protobuf",
  spans: (origin) => writer(origin, writeSpan),
  logs: (origin) => writer(origin, writeLog),
  partialSuccess: (_signal, body) => {
    try {
      return partialSuccessOf(body);
    } catch (error) {
      // A collector that answers something else has taken all that it was sent.
      if (error instanceof RangeError) return null;
      throw error;
    }
  },
};
