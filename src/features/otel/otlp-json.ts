import { isRecord, parseJson } from "#core/json/json";
import {
  type AttributeType,
  type AttributeValue,
  boundedMessage,
  type Encoding,
  type LogEntry,
  momentOf,
  type Origin,
  type RequestWriter,
  SEVERITY,
  type Span,
  type TellAttributes,
} from "./otlp";
import { RememberedAttributes, Runs } from "./runs";

/*
 * OTLP/JSON: the JSON of protobuf with names in lower camel case, ids in hexadecimal, enumerations as numbers and 64-bit
 * integers as texts.
 */

const quoted = JSON.stringify;

/** How a value is written, by its type. */
const VALUES: { readonly [T in AttributeType]: (value: AttributeValue<T>) => string } = {
  string: (value) => `{"stringValue":${quoted(value)}}`,
  int: (value) => `{"intValue":"${value}"}`,
  double: (value) => `{"doubleValue":${value}}`,
  bool: (value) => `{"boolValue":${value}}`,
  strings: (value) => `{"arrayValue":{"values":[${value.map(VALUES.string).join(",")}]}}`,
};

const attributeOf = <T extends AttributeType>(type: T, key: string, value: AttributeValue<T>): string =>
  `{"key":${quoted(key)},"value":${VALUES[type](value)}}`;

class JsonAttributes extends RememberedAttributes<string> {
  private text = "";

  of(tell: TellAttributes): string {
    this.text = "";
    tell(this);
    this.ended();
    return `[${this.text}]`;
  }

  protected override put<T extends AttributeType>(type: T, key: string, value: AttributeValue<T>): void {
    this.append(attributeOf(type, key, value));
  }

  protected override pieceOf<T extends AttributeType>(type: T, key: string, value: AttributeValue<T>): string {
    return attributeOf(type, key, value);
  }

  protected override append(piece: string): void {
    this.text += this.text === "" ? piece : `,${piece}`;
  }
}

/** Nanoseconds since the epoch. */
const nanosOf = (ms: number): string => {
  const { whole, nanos } = momentOf(ms);
  return whole === 0 ? String(nanos) : `${whole}${String(nanos).padStart(6, "0")}`;
};

type AttributesText = (tell: TellAttributes) => string;

const spanOf = (span: Span, attributes: AttributesText): string => {
  const parent = span.parentId === null ? "" : `"parentSpanId":"${span.parentId}",`;
  const state = span.traceState === null ? "" : `"traceState":${quoted(span.traceState)},`;
  const status = span.status === 0 ? "" : `"status":{"code":${span.status}},`;
  return `{"traceId":"${span.traceId}","spanId":"${span.spanId}",${parent}${state}${status}"name":${quoted(span.name)},"kind":${span.kind},"startTimeUnixNano":"${nanosOf(span.start)}","endTimeUnixNano":"${nanosOf(span.end)}","flags":${span.flags},"attributes":${attributes(span.attributes)}}`;
};

const logOf = (log: LogEntry, attributes: AttributesText): string =>
  `{"timeUnixNano":"${nanosOf(log.at)}","observedTimeUnixNano":"${nanosOf(log.observedAt)}","severityNumber":${SEVERITY[log.severity]},"severityText":"${log.severity.toUpperCase()}","eventName":${quoted(log.eventName)},"body":{"stringValue":${quoted(log.body)}},"traceId":"${log.traceId}","spanId":"${log.spanId}","flags":${log.flags},"attributes":${attributes(log.attributes)}}`;

/** A request of one resource and one scope. */
const writer = <Item>(
  { resource, scope }: Origin,
  names: { readonly resources: string; readonly scopes: string; readonly items: string },
  runs: Runs<string>,
  textOf: (item: Item, attributes: AttributesText) => string,
): RequestWriter<Item> => {
  const items: string[] = [];
  const sink = new JsonAttributes(runs);
  const attributes: AttributesText = (tell) => sink.of(tell);
  const head = `{"${names.resources}":[{"resource":{"attributes":${attributes(resource)}},"${names.scopes}":[{"scope":{"name":${quoted(scope.name)},"version":${quoted(scope.version)}},"${names.items}":[`;
  return {
    add: (item) => void items.push(textOf(item, attributes)),
    finish: () => `${head}${items.join(",")}]}]}]}`,
  };
};

/** The counts of 64 bits come as texts, and from some collectors as numbers. */
const REJECTED = { traces: "rejectedSpans", logs: "rejectedLogRecords" } as const;

const partialSuccess: Encoding["partialSuccess"] = (signal, body) => {
  const answer = parseJson(new TextDecoder().decode(body));
  const partial = isRecord(answer) ? answer["partialSuccess"] : null;
  if (!isRecord(partial)) return null;
  const rejected = Number(partial[REJECTED[signal]] ?? 0);
  const message = typeof partial["errorMessage"] === "string" ? partial["errorMessage"] : "";
  return {
    rejected: Number.isSafeInteger(rejected) && rejected > 0 ? rejected : 0,
    message: boundedMessage(message),
  };
};

/** Remembers attributes from one request to the next. */
export const jsonEncoding = (): Encoding => {
  const runsOf = () => new Runs<string>((pieces) => pieces.join(","));
  const [ofSpans, ofLogs] = [runsOf(), runsOf()];
  return {
    contentType: "application/json",
    spans: (origin) =>
      writer(origin, { resources: "resourceSpans", scopes: "scopeSpans", items: "spans" }, ofSpans, spanOf),
    logs: (origin) =>
      writer(origin, { resources: "resourceLogs", scopes: "scopeLogs", items: "logRecords" }, ofLogs, logOf),
    partialSuccess,
  };
};
