import conventions from "./conventions.json";
import schema from "./otlp-schema.json";

/*
 * Reads OTLP in either form by the published schema and by nothing of the hub's own: what the schema does not have, or
 * has in another form, is an error. Both forms of a message read alike: integers of 64 bits as texts, bytes in hexadecimal.
 */

type Field = { readonly number: number; readonly type: string; readonly repeated?: boolean; readonly oneof?: boolean };
type Message = Readonly<Record<string, Field>>;

const MESSAGES: Readonly<Record<string, Message>> = schema;

export const TRACES = "collector.trace.v1.ExportTraceServiceRequest";
export const LOGS = "collector.logs.v1.ExportLogsServiceRequest";

export type Value = string | number | boolean | Value[] | Fields;
export type Fields = { [name: string]: Value };

const messageOf = (name: string): Message => {
  const found = MESSAGES[name];
  if (found === undefined) throw new Error(`no message ${name}`);
  return found;
};

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const assertOneOf = (message: Message, into: Fields, where: string): void => {
  const chosen = Object.keys(into).filter((name) => message[name]?.oneof);
  if (chosen.length > 1) throw new Error(`${where}: ${chosen.join(" and ")}`);
};

/* Protobuf */

const VARINTS = ["int64", "uint64", "int32", "uint32", "bool", "enum"];

class Reader {
  at = 0;
  constructor(readonly bytes: Uint8Array) {}

  get isOver(): boolean {
    return this.at >= this.bytes.length;
  }

  varint(): bigint {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = this.bytes[this.at];
      if (byte === undefined) throw new Error("a varint is cut off");
      this.at += 1;
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return value;
    }
    throw new Error("a varint is too long");
  }

  take(length: number): Uint8Array {
    if (this.at + length > this.bytes.length) throw new Error("a field is cut off");
    this.at += length;
    return this.bytes.subarray(this.at - length, this.at);
  }
}

const wireOf = (type: string): number => {
  if (VARINTS.includes(type)) return 0;
  if (["fixed64", "sfixed64", "double"].includes(type)) return 1;
  return ["fixed32", "sfixed32", "float"].includes(type) ? 5 : 2;
};

const scalar = (reader: Reader, type: string): Value => {
  const view = (bytes: Uint8Array) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  switch (type) {
    case "bool":
      return reader.varint() === 1n;
    case "enum":
    case "uint32":
    case "int32":
      return Number(reader.varint());
    case "int64":
      return String(BigInt.asIntN(64, reader.varint()));
    case "uint64":
      return String(reader.varint());
    case "fixed64":
      return String(view(reader.take(8)).getBigUint64(0, true));
    case "double":
      return view(reader.take(8)).getFloat64(0, true);
    case "fixed32":
      return view(reader.take(4)).getUint32(0, true);
    case "string":
      return new TextDecoder("utf-8", { fatal: true }).decode(reader.take(Number(reader.varint())));
    case "bytes":
      return Buffer.from(reader.take(Number(reader.varint()))).toString("hex");
    default:
      return readProtobuf(type, reader.take(Number(reader.varint())));
  }
};

export const readProtobuf = (name: string, bytes: Uint8Array): Fields => {
  const message = messageOf(name);
  const reader = new Reader(bytes);
  const into: Fields = {};
  while (!reader.isOver) {
    const tag = Number(reader.varint());
    const [key, field] = Object.entries(message).find(([, { number }]) => number === tag >> 3) ?? [];
    if (key === undefined || field === undefined) throw new Error(`${name} has no field ${tag >> 3}`);
    if ((tag & 7) !== wireOf(field.type)) throw new Error(`${name}.${key} is not written as ${field.type}`);
    const value = scalar(reader, field.type);
    if (!field.repeated) {
      if (key in into) throw new Error(`${name}.${key} stands there twice`);
      into[key] = value;
      continue;
    }
    const list = into[key];
    into[key] = Array.isArray(list) ? [...list, value] : [value];
  }
  assertOneOf(message, into, name);
  return into;
};

/* JSON */

const IS: Readonly<Record<string, (value: unknown) => boolean>> = {
  bool: (value) => typeof value === "boolean",
  string: (value) => typeof value === "string",
  // The only bytes of ours are ids, which OTLP/JSON has in hexadecimal.
  bytes: (value) => typeof value === "string" && /^([0-9a-f]{2})+$/.test(value),
  double: (value) => typeof value === "number",
  enum: (value) => Number.isInteger(value),
  uint32: (value) => Number.isInteger(value) && Number(value) >= 0,
  fixed32: (value) => Number.isInteger(value) && Number(value) >= 0 && Number(value) < 2 ** 32,
  int64: (value) => typeof value === "string" && /^-?\d+$/.test(value),
  fixed64: (value) => typeof value === "string" && /^\d+$/.test(value),
};

const single = (value: unknown, type: string, where: string): Value => {
  const is = IS[type];
  if (is === undefined) return readJson(type, value);
  if (!is(value)) throw new Error(`${where} is no ${type}: ${JSON.stringify(value)}`);
  return typeof value === "boolean" || typeof value === "number" ? value : String(value);
};

export const readJson = (name: string, value: unknown): Fields => {
  const message = messageOf(name);
  if (!isFields(value)) throw new Error(`${name} is no object`);
  const into: Fields = {};
  for (const [key, inner] of Object.entries(value)) {
    const field = message[key];
    if (field === undefined) throw new Error(`${name} has no field ${key}`);
    const where = `${name}.${key}`;
    if (!field.repeated) into[key] = single(inner, field.type, where);
    else if (Array.isArray(inner)) into[key] = inner.map((one: unknown) => single(one, field.type, where));
    else throw new Error(`${where} is no list`);
  }
  assertOneOf(message, into, name);
  return into;
};

/* What tests look for */

/** Attributes by the published semantic conventions: their type, and their values where these are few. */
export const CONVENTIONS: ReadonlyMap<string, { readonly type: string; readonly known?: readonly string[] }> = new Map(
  Object.entries(conventions),
);

export const listAt = (of: Fields, key: string): Fields[] => {
  const list = of[key] ?? [];
  if (!Array.isArray(list)) throw new Error(`${key} is no list`);
  return list.filter(isFields);
};

export const fieldsAt = (of: Fields, key: string): Fields => {
  const inner = of[key];
  if (!isFields(inner)) throw new Error(`${key} is no message`);
  return inner;
};

/** Attributes by name, each as `[type, value]`; a name that stands there twice is an error. */
export const attributesOf = (of: Fields): Readonly<Record<string, readonly [string, unknown]>> => {
  const all: Record<string, readonly [string, unknown]> = {};
  for (const pair of listAt(of, "attributes")) {
    const key = String(pair["key"]);
    if (key in all) throw new Error(`${key} stands there twice`);
    const [kind = "", value] = Object.entries(fieldsAt(pair, "value"))[0] ?? [];
    all[key] = typed(kind, value);
  }
  return all;
};

const typed = (kind: string, value: Value | undefined): readonly [string, unknown] => {
  switch (kind) {
    case "stringValue":
      return ["string", value];
    case "boolValue":
      return ["boolean", value];
    case "intValue":
      return ["int", Number(value)];
    case "doubleValue":
      return ["double", value];
    case "arrayValue":
      return ["string[]", isFields(value) ? listAt(value, "values").map(({ stringValue }) => stringValue) : []];
    default:
      throw new Error(`no value: ${kind}`);
  }
};
