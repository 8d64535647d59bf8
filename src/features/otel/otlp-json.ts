import { isRecord, parseJson } from "#core/json/json";
import {
  Attributes,
  type AttributeType,
  type AttributeValue,
  boundedMessage,
  type Encoding,
  type LogEntry,
  nanosOf,
  type Origin,
  type RequestWriter,
  SEVERITY,
  type Span,
  type TellAttributes,
} from "./otlp";

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

class JsonAttributes extends Attributes {
  private text = "";

  static of(tell: TellAttributes): string {
    const all = new JsonAttributes();
    tell(all);
    return `[${all.text}]`;
  }

  protected override put<T extends AttributeType>(type: T, key: string, value: AttributeValue<T>): void {
    this.text += `${this.text === "" ? "" : ","}{"key":${quoted(key)},"value":${VALUES[type](value)}}`;
  }
}

const spanOf = (span: Span): string => {
  const parent = span.parentId === null ? "" : `"parentSpanId":"${span.parentId}",`;
  const state = span.traceState === null ? "" : `"traceState":${quoted(span.traceState)},`;
  const status = span.status === 0 ? "" : `"status":{"code":${span.status}},`;
  return `{"traceId":"${span.traceId}","spanId":"${span.spanId}",${parent}${state}${status}"name":${quoted(span.name)},"kind":${span.kind},"startTimeUnixNano":"${nanosOf(span.start)}","endTimeUnixNano":"${nanosOf(span.end)}","flags":${span.flags},"attributes":${JsonAttributes.of(span.attributes)}}`;
};

const logOf = (log: LogEntry): string =>
  `{"timeUnixNano":"${nanosOf(log.at)}","observedTimeUnixNano":"${nanosOf(log.observedAt)}","severityNumber":${SEVERITY[log.severity]},"severityText":"${log.severity.toUpperCase()}","eventName":${quoted(log.eventName)},"body":{"stringValue":${quoted(log.body)}},"traceId":"${log.traceId}","spanId":"${log.spanId}","flags":${log.flags},"attributes":${JsonAttributes.of(log.attributes)}}`;

/** A request of one resource and one scope. */
const writer = <Item>(
  { resource, scope }: Origin,
  names: { readonly resources: string; readonly scopes: string; readonly items: string },
  textOf: (item: Item) => string,
): RequestWriter<Item> => {
  const items: string[] = [];
  const head = `{"${names.resources}":[{"resource":{"attributes":${JsonAttributes.of(resource)}},"${names.scopes}":[{"scope":{"name":${quoted(scope.name)},"version":${quoted(scope.version)}},"${names.items}":[`;
  return { add: (item) => void items.push(textOf(item)), finish: () => `${head}${items.join(",")}]}]}]}` };
};

/** The counts of 64 bits come as texts, and from some collectors as numbers. */
const REJECTED = { traces: "rejectedSpans", logs: "rejectedLogRecords" } as const;

export const JSON_ENCODING: Encoding = {
  contentType: "application/json",
  spans: (origin) => writer(origin, { resources: "resourceSpans", scopes: "scopeSpans", items: "spans" }, spanOf),
  logs: (origin) => writer(origin, { resources: "resourceLogs", scopes: "scopeLogs", items: "logRecords" }, logOf),
  partialSuccess: (signal, body) => {
    const answer = parseJson(new TextDecoder().decode(body));
    const partial = isRecord(answer) ? answer["partialSuccess"] : null;
    if (!isRecord(partial)) return null;
    const rejected = Number(partial[REJECTED[signal]] ?? 0);
    const message = typeof partial["errorMessage"] === "string" ? partial["errorMessage"] : "";
    return {
      rejected: Number.isSafeInteger(rejected) && rejected > 0 ? rejected : 0,
      message: boundedMessage(message),
    };
  },
};
