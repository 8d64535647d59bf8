import type { Environment } from "./environment";
import type { Key } from "./schema";
import { type Given, readValueFile, type SettingSource } from "./sources";

/*
 * Variables that OpenTelemetry's specification names. They may be meant for all programs of a host: what the hub cannot
 * use is left out and told of, and does not keep it from starting.
 */

/** Of both signals, and of each: the specification names every variable of an exporter three times. */
const SCOPES = [
  ["", ""],
  ["TRACES_", "traces_"],
  ["LOGS_", "logs_"],
] as const;

type Named = readonly (readonly [variable: string, path: string])[];

const exporterVariables = (names: Named): Named =>
  SCOPES.flatMap(([scope, prefix]) =>
    names.map(([name, key]) => [`OTEL_EXPORTER_OTLP_${scope}${name}`, `otel.${prefix}${key}`] as const),
  );

/** Variables that are read as the setting's own is. */
const PLAIN: Named = [
  ...exporterVariables([
    ["ENDPOINT", "endpoint"],
    ["PROTOCOL", "protocol"],
    ["COMPRESSION", "compression"],
    ["TIMEOUT", "timeout_ms"],
  ]),
  ["OTEL_SERVICE_NAME", "otel.service_name"],
  ["OTEL_TRACES_SAMPLER", "otel.sampler"],
  ["OTEL_TRACES_SAMPLER_ARG", "otel.sampler_ratio"],
];

/** Variables with words of their own, and what they stand for; undefined for a word that the hub does not know. */
const WORDED: readonly (readonly [variable: string, path: string, (text: string) => unknown])[] = [
  ...exporterVariables([["HEADERS", "headers"]]).map(
    ([variable, path]) => [variable, path, (text: string) => headers(text)] as const,
  ),
  ["OTEL_TRACES_EXPORTER", "otel.traces", (text) => exporter(text)],
  ["OTEL_LOGS_EXPORTER", "otel.logs", (text) => exporter(text)],
  ["OTEL_PROPAGATORS", "otel.propagate", (text) => (wordsOf(text).includes("tracecontext") ? "on" : "off")],
  ["OTEL_RESOURCE_ATTRIBUTES", "otel.resource_attributes", (text) => pairsOf(text)],
];

/** Variables that name files. */
const FILES: Named = exporterVariables([
  ["CERTIFICATE", "certificate"],
  ["CLIENT_CERTIFICATE", "client_certificate"],
  ["CLIENT_KEY", "client_key"],
]);

/** What exporters may be told that the hub has nothing for: it is for gRPC alone. */
const NOT_HAD = /^OTEL_EXPORTER_OTLP_(?:(?:TRACES|LOGS)_)?INSECURE$/;

/** A client's certificate and its key: either is of no use without the other. */
const PARTNERS: ReadonlyMap<string, string> = new Map(
  SCOPES.flatMap(([, prefix]) => {
    const [certificate, key] = [`otel.${prefix}client_certificate`, `otel.${prefix}client_key`];
    return [
      [certificate, key],
      [key, certificate],
    ];
  }),
);

const wordsOf = (text: string): string[] => text.split(",").map((word) => word.trim());

const exporter = (text: string): string | undefined => {
  const words = wordsOf(text);
  if (words.includes("otlp")) return "on";
  return words.every((word) => word === "none") ? "off" : undefined;
};

const headers = (text: string): string | undefined => (headersOf(text) === null ? undefined : text.trim());

/** Headers by name; null where HTTP could not send them. */
export const headersOf = (text: string): Readonly<Record<string, string>> | null => {
  const pairs = pairsOf(text);
  return pairs !== undefined && Object.values(pairs).every((value) => /^[\t\x20-\x7e]*$/.test(value)) ? pairs : null;
};

/** `name=value,name=value`, percent-encoded; undefined where it is not. */
export const pairsOf = (text: string): Readonly<Record<string, string>> | undefined => {
  const pairs: (readonly [string, string])[] = [];
  for (const pair of text.split(",").filter((one) => one.trim() !== "")) {
    const at = pair.indexOf("=");
    if (at < 1) return undefined;
    try {
      pairs.push([decodeURIComponent(pair.slice(0, at).trim()), decodeURIComponent(pair.slice(at + 1).trim())]);
    } catch (error) {
      if (error instanceof URIError) return undefined;
      throw error;
    }
  }
  return Object.fromEntries(pairs);
};

/** A variable that was set and is left out. */
export type Ignored = { readonly variable: string; readonly reason: string };

type Reading = {
  readonly keys: readonly Key[];
  /** The value that the setting has by this; undefined where it is none. */
  readonly settled: (key: Key, given: Given) => unknown;
};

/** An empty variable counts as not set, as the specification has it. */
export const fromOtelEnvironment = (
  { keys, settled }: Reading,
  environment: Environment,
): { readonly source: SettingSource; readonly ignored: readonly Ignored[] } => {
  const source: SettingSource = new Map();
  const ignored: Ignored[] = [];
  const take = (variable: string, path: string, value: unknown, raw: boolean): void => {
    const key = keys.find((one) => one.path === path);
    if (key === undefined) return;
    const given = { value, origin: variable, raw };
    if (value !== undefined && settled(key, given) !== undefined) source.set(path, given);
    else ignored.push({ variable, reason: `the hub takes ${key.expects}` });
  };
  for (const [variable, path] of PLAIN) {
    const text = environment[variable];
    if (text) take(variable, path, text.trim(), true);
  }
  for (const [variable, path] of FILES) {
    const file = environment[variable]?.trim();
    if (file) take(variable, path, readValueFile(file) ?? undefined, false);
  }
  for (const [variable, path] of FILES) {
    const other = PARTNERS.get(path);
    const given = source.get(path);
    if (other === undefined || given === undefined || source.has(other)) continue;
    source.delete(path);
    ignored.push({ variable, reason: `it needs ${FILES.find(([, one]) => one === other)?.[0]}` });
  }
  for (const [variable, path, read] of WORDED) {
    const text = environment[variable];
    if (text) take(variable, path, read(text), false);
  }
  if (environment["OTEL_SDK_DISABLED"]?.toLowerCase() === "true") {
    for (const path of ["otel.traces", "otel.logs"]) take("OTEL_SDK_DISABLED", path, "off", false);
  }
  const notHad = Object.keys(environment).filter((name) => NOT_HAD.test(name) && environment[name]);
  return {
    source,
    ignored: [...ignored, ...notHad.map((variable) => ({ variable, reason: "the hub has no setting for it" }))],
  };
};
