import { TIERS } from "#core/review/review";
import { ACTIONS, ORIGINS } from "#core/scan/detector";
import { MODES, RULE_MODES } from "#core/scan/policy";
import { type Static, type TSchema, Type } from "#core/schema";
import { LOG_LEVELS } from "#platform/log";
import { Oidc } from "./oidc";
import { count, ms, oneOf } from "./setting";

/*
 * Every setting, once: its form, its default and one line that says what it is for. Variables, the TOML file,
 * `config show --describe` and the reference page are all read off this object.
 */

const FlagType = Type.String({ pattern: "^[a-z0-9_-]+(\\.[a-z0-9_-]+)*$" });
const Score = Type.Optional(Type.Number({ minimum: 0, maximum: 1 }));

/** One rule of the scan room, as an operator writes it. */
const Rule = Type.Object(
  {
    type: FlagType,
    origins: Type.Optional(Type.Array(Type.Union(ORIGINS.map((origin) => Type.Literal(origin))), { minItems: 1 })),
    thresholds: Type.Object({ flag: Score, redact: Score, block: Score }, { additionalProperties: false }),
    mode: Type.Optional(Type.Union(RULE_MODES.map((mode) => Type.Literal(mode)))),
  },
  { additionalProperties: false },
);

/** One rule of the operator's own, with what is done about what it finds; `flag` if nothing is said. */
const Custom = Type.Object(
  {
    id: Type.String(),
    words: Type.Optional(Type.Array(Type.String())),
    pattern: Type.Optional(Type.String()),
    keywords: Type.Optional(Type.Array(Type.String())),
    score: Score,
    action: Type.Optional(Type.Union(ACTIONS.map((action) => Type.Literal(action)))),
    mode: Type.Optional(Type.Union(RULE_MODES.map((mode) => Type.Literal(mode)))),
  },
  { additionalProperties: false },
);

/** HOST:PORT, with IPv6 in brackets. */
const LISTEN =
  "(\\[[0-9a-fA-F:.]+\\]|[^\\s:/\\[\\]]+):(6553[0-5]|655[0-2]\\d|65[0-4]\\d{2}|6[0-4]\\d{3}|[1-5]\\d{4}|\\d{1,4})";

export const ConfigSchema = Type.Object({
  listen: Type.String({
    default: "127.0.0.1:8787",
    pattern: `^${LISTEN}$`,
    expects: "HOST:PORT, e.g. 127.0.0.1:8787 or [::1]:8787",
    description: "Address and port the service listens on.",
  }),
  public_url: Type.String({
    default: "",
    pattern: "^(https?://[^\\s/?#@]+(/[^\\s?#]*)?)?$",
    expects: "an http or https URL without user, query or fragment",
    description: "The URL callers use; a path in it is put before every address. Derived from listen when not set.",
  }),
  allowed_hosts: Type.Array(Type.String({ pattern: "^[^\\s/@]+$" }), {
    default: [],
    expects: "a list of host names, each with or without a port",
    description: "Further Host names answered beside the public URL's and the loopback names.",
  }),
  trusted_proxies: Type.Array(Type.String({ pattern: "^[0-9a-fA-F:.]+/\\d{1,3}$" }), {
    default: [],
    expects: "a list of networks, e.g. 10.1.0.0/16 or fd00::/8",
    description: "Proxies whose X-Forwarded-For is believed, for limits by address; nobody's is unless named here.",
  }),
  data_dir: Type.String({
    default: "./guardhouse-data",
    minLength: 1,
    expects: "a directory",
    description: "Where everything is kept: database, audit log, master key.",
  }),
  durability: oneOf(
    ["full", "normal"],
    "full",
    "full: an answered call's record survives loss of power; normal: it survives a crash of the process.",
  ),
  log_level: oneOf(LOG_LEVELS, "info", "The least level of the operator's log."),
  master_key: Type.Union([Type.String({ pattern: "^[A-Za-z0-9+/]{43}=$" }), Type.Null()], {
    default: null,
    secret: true,
    expects: "32 bytes in base64 (44 characters), e.g. from `openssl rand -base64 32`",
    description: "Key that seals provider keys at rest. Kept in a file of the data directory when not set.",
  }),
  shutdown_grace_ms: ms(25_000, "How long running calls may finish after SIGTERM.", 0),
  bootstrap: Type.Object({
    admin_email: Type.String({
      default: "",
      variable: "GUARDHOUSE_ADMIN_EMAIL",
      pattern: '^([^\\s@<>"\\\\,;:]+@[^\\s@<>"\\\\,;:]+)?$',
      expects: "an e-mail address",
      description: "An administrator made at the start when there is no user of that address; never changed later.",
    }),
    admin_password: Type.Union([Type.String({ minLength: 12, maxLength: 256 }), Type.Null()], {
      default: null,
      secret: true,
      variable: "GUARDHOUSE_ADMIN_PASSWORD",
      expects: "12 characters or more",
      description: "That administrator's first password.",
    }),
  }),
  password_sign_in: oneOf(
    ["on", "off"],
    "on",
    "off: people sign in by the OpenID provider only; links an administrator or the command line hands out still work.",
  ),
  oidc: Oidc,
  limits: Type.Object({
    body_bytes: count(20_971_520, 1024, 1_073_741_824, "Largest request body, in bytes."),
    json_depth: count(100, 4, 1000, "Deepest nesting of a request body."),
    request_idle_ms: Type.Integer({
      default: 60_000,
      minimum: 1_000,
      maximum: 255_000, // the runtime's own limit
      unit: "milliseconds",
      description: "Silence, or a trickle, of a client that owes the rest of its request, before it is cut off.",
    }),
  }),
  upstream: Type.Object({
    connect_ms: ms(10_000, "Wait for a connection to a provider or a tool server."),
    first_byte_ms: ms(120_000, "Wait for the first byte of a provider's answer."),
    idle_ms: ms(120_000, "Longest silence inside a provider's stream."),
    total_ms: ms(1_800_000, "Longest duration of a whole call."),
    retries: count(2, 0, 10, "Further attempts after a connect error, 429 or 5xx, before the first byte."),
    retry_base_ms: ms(250, "First wait between attempts; doubled each time, with jitter."),
    answer_bytes: count(
      67_108_864,
      1_024,
      1_073_741_824,
      "Longest answer of a provider in bytes, as unpacked: whole, all of a stream, a list of models. One event of a stream: 8 MiB at most.",
    ),
    max_concurrent: count(4096, 1, 16_384, "Calls open to one provider at a time."),
    allow_private: Type.Array(Type.String({ pattern: "^[0-9a-fA-F:.]+/\\d{1,3}$" }), {
      default: [],
      expects: "a list of networks, e.g. 10.1.0.0/16 or fd00::/8",
      description: "Private networks in which providers added through /api may be; plain http is good enough there.",
    }),
  }),
  tool_gateway: Type.Object({
    allow_private: Type.Array(Type.String({ pattern: "^[0-9a-fA-F:.]+/\\d{1,3}$" }), {
      default: [],
      expects: "a list of networks, e.g. 10.1.0.0/16 or fd00::/8",
      description: "Private networks in which tool servers added through /api may be.",
    }),
    allowed_origins: Type.Array(Type.String({ pattern: "^https?://[^\\s/]+$" }), {
      default: [],
      expects: "a list of origins, e.g. https://inspector.example.com",
      description: "Web pages that may call the tool gateway, beside the hub's own and those of this machine.",
    }),
    new_tools: oneOf(
      ["pin", "approve"],
      "pin",
      "pin: a tool its server lists for the first time is approved as it is seen, unless the guard finds something in it; approve: a person approves each.",
    ),
    whoami: oneOf(
      ["on", "off"],
      "on",
      "List the hub's own tool guardhouse__whoami, which tells a caller why tools are missing.",
    ),
    handshake_ms: ms(
      90_000,
      "Wait for the handshake of a tool server. A stdio server's program may have to download itself first (npx, uvx).",
    ),
    list_ms: ms(3_000, "Wait for one server's tool list."),
    list_fresh_ms: ms(10_000, "How long a tool list is served before it is fetched again in the background.", 0),
    call_ms: ms(120_000, "Longest silence of a tool call; progress ends a silence."),
    total_ms: ms(1_800_000, "Longest duration of a tool call."),
    idle_ms: ms(600_000, "How long an unused connection, or a stdio server's process, is kept."),
    result_bytes: count(10_485_760, 1024, 1_073_741_824, "Largest answer of a tool server, in bytes."),
    max_concurrent: count(64, 1, 16_384, "Calls open to one tool server at a time."),
  }),
  oauth: Type.Object({
    client_documents: Type.Array(Type.String({ pattern: "^(\\*|[a-z0-9.-]+(:\\d{1,5})?)$" }), {
      default: [],
      expects: "a list of host names in small letters, each with its port where that is not 443, or *",
      description:
        "Hosts whose client ID metadata documents are fetched when a person signs a program in; * for all. With any, programs are told to name documents.",
    }),
    allow_private: Type.Array(Type.String({ pattern: "^[0-9a-fA-F:.]+/\\d{1,3}$" }), {
      default: [],
      expects: "a list of networks, e.g. 10.1.0.0/16 or fd00::/8",
      description: "Private networks from which client ID metadata documents may come.",
    }),
  }),
  guard: Type.Object({
    mode: oneOf(MODES, "enforce", "enforce acts on findings; monitor only records them; off does not scan."),
    hold_back: count(
      256,
      16,
      65_536,
      "Characters of a stream that may wait while a match is still possible; detectors that need more take more.",
    ),
    rules: Type.Array(Rule, {
      default: [],
      expects:
        'a list of { type = "pii.email", origins = ["user"], thresholds = { flag = 0.3, redact = 0.5, block = 0.9 } } (JSON in a variable)',
      description:
        'Rules in place of the built-in ones of the same type and below, at the origins they name; with mode = "monitor" one only flags, and the flag says what it would do.',
    }),
    floor: Type.Array(Rule, {
      default: [
        { type: "secret", origins: ["output"], thresholds: { redact: 0.9 } },
        { type: "injection", origins: ["user", "tool_result"], thresholds: { block: 0.95 } },
      ],
      expects: "a list as of guard.rules (JSON in a variable)",
      description: "What no agent's profile can go below; agents without one are under guard.rules.",
    }),
    ungoverned: oneOf(
      ["baseline", "monitor", "deny"],
      "baseline",
      "Agents without an approved profile: under the hub's own rules, watched only, or refused.",
    ),
    automatic_restrictions: oneOf(
      ["on", "off"],
      "on",
      "Restrict an agent for a while when it leaks, probes or runs away; off leaves that to people.",
    ),
    automatic_suspension: Type.Array(Type.String({ pattern: `^(${TIERS.join("|")})$` }), {
      default: [],
      expects: `a list of risk tiers (${TIERS.join(", ")})`,
      description: "Agents of these tiers are suspended, not only slowed, when too many of their answers are bad.",
    }),
    custom: Type.Array(Custom, {
      default: [],
      expects:
        'a list of { id = "project", words = ["Project Falcon"], action = "block" } or { id = "employee", pattern = "EMP-\\\\d{6}", keywords = ["EMP-"] } (JSON in a variable)',
      description:
        "Rules of your own: words, or patterns (RE2 syntax) that begin with a keyword. They find custom.<id>; mode as in guard.rules.",
    }),
    actions: Type.Record(FlagType, Type.Union(ACTIONS.map((action) => Type.Literal(action))), {
      default: {},
      expects: `flag types in quotes with an action each, e.g. "pii.email" = "flag" (${ACTIONS.join(", ")})`,
      description: "Shorthand for rules: what is done about a flag type and all below it, at every origin.",
    }),
    keep_blocked_hours: count(
      24,
      0,
      720,
      "Hours that blocked and redacted texts are kept, encrypted, so that a block can be disputed; 0 keeps none.",
    ),
    cache_entries: count(50_000, 0, 10_000_000, "Verdicts remembered, so that unchanged history is not scanned again."),
    scan_threads: count(0, 0, 64, "Threads that scan long texts; 0: two, or one less than the cores, eight at most."),
    scan_queue_calls: count(256, 1, 100_000, "Calls with long texts at a time; further requests are answered 503."),
    scan_queue_calls_per_token: count(32, 1, 100_000, "The same for one token, or one person; 429 beyond."),
    scan_queue_chars: count(268_435_456, 65_536, 8_589_934_592, "Characters of those calls' texts, of all callers."),
    scan_queue_chars_per_token: count(67_108_864, 65_536, 8_589_934_592, "The same for one token, or one person."),
  }),
  webhooks: Type.Object({
    allow_private: Type.Array(Type.String({ pattern: "^[0-9a-fA-F:.]+/\\d{1,3}$" }), {
      default: [],
      expects: "a list of networks, e.g. 10.1.0.0/16 or fd00::/8",
      description: "Private networks in which receivers of webhooks may be; plain http is good enough there.",
    }),
  }),
  reviewer: Type.Object({
    model: Type.String({
      default: "",
      maxLength: 256,
      expects: "the name of a model",
      description: "The model that reads disputes and miss reports. Without one people read them.",
    }),
    provider: Type.String({
      default: "",
      maxLength: 64,
      expects: "the name of a provider",
      description: "The only provider it is asked at; whichever serves the model when not set.",
    }),
    timeout_ms: ms(30_000, "Longest duration of one reading; a report is read twice.", 1_000),
    daily_budget: count(500, 0, 1_000_000, "Readings a day (UTC); reports beyond that go to people."),
  }),
  metrics: Type.Object({
    listen: Type.String({
      default: "",
      pattern: `^(${LISTEN})?$`,
      expects: "HOST:PORT, e.g. 127.0.0.1:9464",
      description: "A second address, where GET /metrics answers as Prometheus asks; none when not set.",
    }),
    token: Type.Union([Type.String({ pattern: "^[!-~]{16,256}$" }), Type.Null()], {
      default: null,
      secret: true,
      expects: "16 to 256 characters without spaces",
      description: "What collectors send there as a bearer token; needed where others than this machine reach it.",
    }),
  }),
  backups: Type.Object({
    every_hours: count(0, 0, 8_760, "Hours between backups that are made by themselves; 0 makes none."),
    keep: count(7, 1, 1_000, "How many of those are kept; others are nobody's to remove but yours."),
  }),
  audit: Type.Object({
    retention_days: count(400, 1, 36_500, "Days audit records are kept; dropped by whole partitions."),
  }),
});

/** The settings in force. Frozen at every level by `loadConfig`. */
export type Config = ReadonlyDeep<Static<typeof ConfigSchema>>;

type ReadonlyDeep<T> = T extends readonly (infer Item)[]
  ? readonly ReadonlyDeep<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: ReadonlyDeep<T[Key]> }
    : T;

/** How a setting is written as text, in a variable or a flag. */
export type Kind = "string" | "integer" | "list" | "map" | "json";

/** One setting, flat: what the loader, the listings and the reference work on. */
export type Key = {
  /** `upstream.connect_ms`. */
  readonly path: string;
  readonly schema: TSchema;
  readonly kind: Kind;
  readonly secret: boolean;
  /** The name of its variable where that is not made of its path; null otherwise. */
  readonly variable: string | null;
  readonly fallback: unknown;
  readonly description: string;
  /** The form of a good value, in words. */
  readonly expects: string;
};

const kindOf = (schema: TSchema): Kind => {
  if (schema["type"] === "integer") return "integer";
  if (schema["type"] === "array") return schema["items"]?.type === "string" ? "list" : "json";
  return schema["type"] === "object" ? "map" : "string";
};

const expectation = (schema: TSchema): string => {
  if (typeof schema["expects"] === "string") return schema["expects"];
  if (schema["type"] === "integer") {
    const unit = typeof schema["unit"] === "string" ? ` of ${schema["unit"]}` : "";
    return `a whole number${unit} from ${schema["minimum"]} to ${schema["maximum"]}`;
  }
  return "a string";
};

const isSection = (schema: TSchema): boolean => schema["type"] === "object" && schema["properties"] !== undefined;

const flatten = (schema: TSchema, prefix: string): Key[] => {
  const properties: Record<string, TSchema> = schema["properties"];
  return Object.entries(properties).flatMap(([name, inner]): Key[] => {
    const path = prefix + name;
    if (isSection(inner)) return flatten(inner, `${path}.`);
    return [
      {
        path,
        schema: inner,
        kind: kindOf(inner),
        secret: inner["secret"] === true,
        variable: typeof inner["variable"] === "string" ? inner["variable"] : null,
        fallback: inner.default,
        description: inner.description ?? "",
        expects: expectation(inner),
      },
    ];
  });
};

/** All settings in the order of the schema. */
export const configKeys = (): Key[] => flatten(ConfigSchema, "");
