import { COMMANDS, commandLine } from "#core/command-line";
import { type Static, type TSchema, Type } from "#core/schema";
import { PRICE_PARTS } from "#model/price";
import { LOG_LEVELS } from "#platform/log";
import { TIERS } from "#policy/review/review";
import { ACTIONS, ORIGINS } from "#scan/detector";
import { MODES, RULE_MODES } from "#scan/policy";
import { HookSourceSaid } from "./hooks";
import { Oidc } from "./oidc";
import { Otel } from "./otel";
import { count, ms, oneOf } from "./setting";

/*
 * Every setting, once: its form, its default and one line that says what it is for. Variables, the TOML file,
 * `config show --describe` and the reference page are all read off this object.
 */

const FlagType = Type.String({ pattern: "^[a-z0-9_-]+(\\.[a-z0-9_-]+)*$" });
const Score = Type.Optional(Type.Number({ minimum: 0, maximum: 1 }));

/** One scan rule, as an operator writes it. */
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

/** What tokens of a model cost, as an operator writes it. */
const ModelPrice = Type.Object(
  {
    model: Type.String({ pattern: "^[!-~]{1,200}$" }),
    provider: Type.Optional(Type.String({ pattern: "^[a-z0-9][a-z0-9._-]{0,39}$" })),
    ...PRICE_PARTS,
  },
  { additionalProperties: false },
);

/** Who signs beside the audit log. */
const Witness = Type.Object(
  {
    url: Type.String({ pattern: "^https?://[^\\s/?#@]+(/[^\\s?#]*)?$" }),
    key: Type.String({ pattern: "^[^\\s+]+\\+[0-9a-f]{8}\\+[A-Za-z0-9+/]+={0,2}$" }),
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
    description: "Address and port the hub listens on.",
  }),
  public_url: Type.String({
    default: "",
    pattern: "^(https?://[^\\s/?#@]+(/[^\\s?#]*)?)?$",
    expects: "an http or https URL without user, query or fragment",
    description:
      "URL of the hub for clients and browsers. A path in it becomes the prefix of every address. Default: derived from listen.",
  }),
  allowed_hosts: Type.Array(Type.String({ pattern: "^[^\\s/@]+$" }), {
    default: [],
    expects: "a list of host names, each with or without a port",
    description: "Accepted Host headers, in addition to public_url's and loopback names.",
  }),
  trusted_proxies: Type.Array(Type.String({ pattern: "^[0-9a-fA-F:.]+/\\d{1,3}$" }), {
    default: [],
    expects: "a list of networks, e.g. 10.1.0.0/16 or fd00::/8",
    description: "Proxies whose X-Forwarded-For is trusted for limits by client address. Default: none.",
  }),
  server: Type.Object({
    workers: count(
      1,
      1,
      64,
      "Processes that serve together at the address. More than one pays with four cores or more.",
    ),
  }),
  data_dir: Type.String({
    default: "./guardhouse-data",
    minLength: 1,
    expects: "a directory",
    description: "Directory of the database, the audit log and the master key.",
  }),
  durability: oneOf(
    ["full", "normal"],
    "full",
    "full: the record of an answered call survives loss of power; normal: it survives a crash of the process.",
  ),
  log_level: oneOf(LOG_LEVELS, "info", "Lowest level that is logged."),
  master_key: Type.Union([Type.String({ pattern: "^[A-Za-z0-9+/]{43}=$" }), Type.Null()], {
    default: null,
    secret: true,
    expects: "32 bytes in base64 (44 characters), e.g. from `openssl rand -base64 32`",
    description: "Key that encrypts secrets at rest. Default: generated once and kept in the data directory.",
  }),
  shutdown_grace_ms: ms(25_000, "Grace for open calls after SIGTERM.", 0),
  bootstrap: Type.Object({
    admin_email: Type.String({
      default: "",
      variable: "GUARDHOUSE_ADMIN_EMAIL",
      pattern: '^([^\\s@<>"\\\\,;:]+@[^\\s@<>"\\\\,;:]+)?$',
      expects: "an e-mail address",
      description: "Administrator to create at start if there is no such user; never changed later.",
    }),
    admin_password: Type.Union([Type.String({ minLength: 12, maxLength: 256 }), Type.Null()], {
      default: null,
      secret: true,
      variable: "GUARDHOUSE_ADMIN_PASSWORD",
      expects: "12 characters or more",
      description: "Initial password of that administrator.",
    }),
  }),
  password_sign_in: oneOf(
    ["on", "off"],
    "on",
    "off: sign-in by the OpenID provider only. Invitation links still work.",
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
      description: "Maximum wait for the rest of a request whose client sends nothing or a trickle.",
    }),
  }),
  upstream: Type.Object({
    connect_ms: ms(10_000, "Connect timeout, of providers and tool servers."),
    first_byte_ms: ms(120_000, "Timeout for the first byte of a provider's answer."),
    idle_ms: ms(120_000, "Maximum silence within a provider's stream."),
    total_ms: ms(1_800_000, "Maximum duration of a call."),
    retries: count(2, 0, 10, "Retries after a connect error, 429 or 5xx, before the first byte."),
    retry_base_ms: ms(250, "First wait between retries; doubled each time, with jitter."),
    answer_bytes: count(
      67_108_864,
      1_024,
      1_073_741_824,
      "Maximum size of a provider's answer in bytes, uncompressed: whole answer, stream, or model list. One stream event: 8 MiB at most.",
    ),
    max_concurrent: count(4096, 1, 16_384, "Concurrent calls to one provider."),
    allow_private: Type.Array(Type.String({ pattern: "^[0-9a-fA-F:.]+/\\d{1,3}$" }), {
      default: [],
      expects: "a list of networks, e.g. 10.1.0.0/16 or fd00::/8",
      description: "Private networks allowed for providers added through /api, also over plain http.",
    }),
  }),
  tool_gateway: Type.Object({
    allow_private: Type.Array(Type.String({ pattern: "^[0-9a-fA-F:.]+/\\d{1,3}$" }), {
      default: [],
      expects: "a list of networks, e.g. 10.1.0.0/16 or fd00::/8",
      description: "Private networks allowed for tool servers added through /api.",
    }),
    allowed_origins: Type.Array(Type.String({ pattern: "^https?://[^\\s/]+$" }), {
      default: [],
      expects: "a list of origins, e.g. https://inspector.example.com",
      description: "Web origins that may call the tool gateway, in addition to the hub's own and loopback.",
    }),
    new_tools: oneOf(
      ["pin", "approve"],
      "pin",
      "pin: a new tool is approved automatically unless its definition has findings; approve: a person approves each.",
    ),
    stdio: oneOf(
      ["on", "off"],
      "on",
      "Run stdio tool servers at this hub. Hubs on one PostgreSQL each run their own; off at all but one runs them once.",
    ),
    whoami: oneOf(
      ["on", "off"],
      "on",
      "Offer the hub's own tool guardhouse__whoami, which tells a caller why tools are hidden.",
    ),
    registry: oneOf(
      ["on", "off"],
      "off",
      "Serve published tool servers to IDEs at /v0.1/servers, readable by anybody who reaches the hub.",
    ),
    search_above: count(
      0,
      0,
      100_000,
      "Callers with more tools than this are listed guardhouse__search_tools and guardhouse__call_tool instead; 0 lists any number.",
    ),
    handshake_ms: ms(
      90_000,
      "Timeout for the handshake of a tool server. A stdio server may download its program first (npx, uvx).",
    ),
    elicitation: oneOf(
      ["on", "off"],
      "on",
      "Let tool servers ask the user something during a call (MCP elicitation), by clients that support it.",
    ),
    elicitation_ms: count(
      300_000,
      1_000,
      86_400_000,
      "How long a user may take to answer a tool server. The call's own time stops meanwhile.",
    ),
    elicitation_hosts: Type.Array(Type.String({ pattern: "^(\\*|(\\*\\.)?[a-z0-9.-]+(:\\d{1,5})?)$" }), {
      default: [],
      expects: "a list of host names in small letters; *.example.com for all below it, * for all",
      description: "Hosts where any tool server may ask users to open a page, beside the server's own host.",
    }),
    list_ms: ms(3_000, "Timeout for one server's tool list."),
    list_fresh_ms: ms(10_000, "Age at which a tool list is fetched again in the background.", 0),
    call_ms: ms(120_000, "Maximum silence of a tool call; progress notifications count as activity."),
    total_ms: ms(1_800_000, "Maximum duration of a tool call."),
    idle_ms: ms(600_000, "Time after which an unused connection or stdio process is closed."),
    result_bytes: count(10_485_760, 1024, 1_073_741_824, "Maximum size of a tool server's answer, in bytes."),
    max_concurrent: count(64, 1, 16_384, "Concurrent calls to one tool server."),
  }),
  oauth: Type.Object({
    client_documents: Type.Array(Type.String({ pattern: "^(\\*|[a-z0-9.-]+(:\\d{1,5})?)$" }), {
      default: [],
      expects: "a list of host names in small letters, each with its port where that is not 443, or *",
      description:
        "Hosts from which client ID metadata documents are fetched at sign-in; * for all. If set, clients are told to use documents.",
    }),
    allow_private: Type.Array(Type.String({ pattern: "^[0-9a-fA-F:.]+/\\d{1,3}$" }), {
      default: [],
      expects: "a list of networks, e.g. 10.1.0.0/16 or fd00::/8",
      description: "Private networks allowed for client ID metadata documents.",
    }),
  }),
  guard: Type.Object({
    mode: oneOf(MODES, "enforce", "enforce: act on findings; monitor: only record them; off: do not scan."),
    hold_back: count(
      256,
      16,
      65_536,
      "Characters of a stream held back while a match is still possible. Detectors that need more hold back more.",
    ),
    rules: Type.Array(Rule, {
      default: [],
      expects:
        'a list of { type = "pii.email", origins = ["user"], thresholds = { flag = 0.3, redact = 0.5, block = 0.9 } } (JSON in a variable)',
      description:
        'Rules that replace the built-in ones of their type and below, at their origins. A rule with mode = "monitor" only flags, and records what it would do.',
    }),
    floor: Type.Array(Rule, {
      default: [
        { type: "secret", origins: ["output"], thresholds: { redact: 0.9 } },
        { type: "injection", origins: ["user", "tool_result"], thresholds: { block: 0.95 } },
      ],
      expects: "a list as of guard.rules (JSON in a variable)",
      description: "Minimum that no profile can go below. For agents without a profile guard.rules applies.",
    }),
    ungoverned: oneOf(
      ["baseline", "monitor", "deny"],
      "baseline",
      "Agents without an approved profile: apply the baseline policy, only monitor, or refuse calls.",
    ),
    automatic_restrictions: oneOf(
      ["on", "off"],
      "on",
      "Restrict an agent temporarily when it leaks data, probes the guard or loops; off: never automatically.",
    ),
    automatic_suspension: Type.Array(Type.String({ pattern: `^(${TIERS.join("|")})$` }), {
      default: [],
      expects: `a list of risk tiers (${TIERS.join(", ")})`,
      description:
        "Risk tiers whose agents are suspended, instead of rate-limited, when too many answers have findings.",
    }),
    custom: Type.Array(Custom, {
      default: [],
      expects:
        'a list of { id = "project", words = ["Project Falcon"], action = "block" } or { id = "employee", pattern = "EMP-\\\\d{6}", keywords = ["EMP-"] } (JSON in a variable)',
      description:
        "Your own detectors: words, or patterns (RE2 syntax) that begin with a keyword. Their type is custom.<id>; mode as in guard.rules.",
    }),
    actions: Type.Record(FlagType, Type.Union(ACTIONS.map((action) => Type.Literal(action))), {
      default: {},
      expects: `flag types in quotes with an action each, e.g. "pii.email" = "flag" (${ACTIONS.join(", ")})`,
      description: "Shorthand for rules: the action for a flag type and all below it, at every origin.",
    }),
    keep_blocked_hours: count(
      24,
      0,
      720,
      "Hours that blocked and redacted texts are stored, encrypted, for disputes; 0: not stored.",
    ),
    cache_entries: count(
      50_000,
      0,
      10_000_000,
      "Cached scan verdicts, so that unchanged history is not scanned again.",
    ),
    scan_threads: count(
      0,
      0,
      64,
      "Threads for long texts; 0: the number of cores less one, at least two, at most eight.",
    ),
    scan_queue_calls: count(256, 1, 100_000, "Concurrent calls with long texts; further requests are answered 503."),
    scan_queue_calls_per_token: count(
      32,
      1,
      100_000,
      "The same for one gateway token or user; further requests are answered 429.",
    ),
    scan_queue_chars: count(268_435_456, 65_536, 8_589_934_592, "Characters of all concurrent calls with long texts."),
    scan_queue_chars_per_token: count(67_108_864, 65_536, 8_589_934_592, "The same for one gateway token or user."),
  }),
  webhooks: Type.Object({
    allow_private: Type.Array(Type.String({ pattern: "^[0-9a-fA-F:.]+/\\d{1,3}$" }), {
      default: [],
      expects: "a list of networks, e.g. 10.1.0.0/16 or fd00::/8",
      description: "Private networks allowed for webhook receivers, also over plain http.",
    }),
  }),
  reviewer: Type.Object({
    model: Type.String({
      default: "",
      maxLength: 256,
      expects: "the name of a model",
      description: "Model that judges disputes and miss reports first. Default: people judge them.",
    }),
    provider: Type.String({
      default: "",
      maxLength: 64,
      expects: "the name of a provider",
      description: "Provider of that model. Default: the first that serves it.",
    }),
    timeout_ms: ms(30_000, "Timeout of one judgement; a report is judged twice.", 1_000),
    daily_budget: count(500, 0, 1_000_000, "Judgements a day (UTC); further reports go to people."),
  }),
  hooks: Type.Object({
    source: Type.Array(HookSourceSaid, {
      default: [],
      maxItems: 50,
      expects:
        'a list of { name = "claude", kind = "anthropic", agent = "Claude seats", user = "ada@example.com", secret_env = "CLAUDE_HOOK_SECRET" } (JSON in a variable)',
      description:
        "Systems that ask for verdicts about many people, beside those added in the dashboard. secret_env or secret_file names where the secret is: two of them, separated by a space, while one is replaced.",
    }),
  }),
  prices: Type.Array(ModelPrice, {
    default: [],
    maxItems: 1_000,
    expects: 'a list of { model = "llama*", input = 0.1, output = 0.4 } (JSON in a variable)',
    description:
      "Prices of models in US dollars per million tokens, instead of built-in ones. provider: only there; cached_input, cache_write, cache_write_1h and reasoning: where they differ.",
  }),
  database: Type.Object({
    url: Type.Union([Type.String({ pattern: "^postgres(ql)?://[^\\s/?#]+/[^\\s/?#]+(\\?[^\\s#]*)?$" }), Type.Null()], {
      default: null,
      secret: true,
      expects: "postgres://USER:PASSWORD@HOST:PORT/DATABASE",
      description:
        "PostgreSQL 14 or newer for the configuration, shared by several hubs; records of calls stay in data_dir. Default: SQLite in data_dir.",
    }),
    connections: count(10, 2, 200, "Connections of each process to PostgreSQL."),
  }),
  metrics: Type.Object({
    listen: Type.String({
      default: "",
      pattern: `^(${LISTEN})?$`,
      expects: "HOST:PORT, e.g. 127.0.0.1:9464",
      description: "Second address, for GET /metrics (Prometheus). Default: none.",
    }),
    token: Type.Union([Type.String({ pattern: "^[!-~]{16,256}$" }), Type.Null()], {
      default: null,
      secret: true,
      expects: "16 to 256 characters without spaces",
      description: "Bearer token for /metrics; required unless metrics.listen is a loopback address.",
    }),
  }),
  otel: Otel,
  backups: Type.Object({
    every_hours: count(0, 0, 8_760, "Hours between automatic backups; 0: none."),
    keep: count(7, 1, 1_000, "Automatic backups to keep. Others are never removed."),
  }),
  alerts: Type.Object({
    every_seconds: count(15, 1, 300, "Seconds between two measurements of alert rules."),
  }),
  audit: Type.Object({
    verify_hours: count(
      24,
      0,
      8_760,
      "Hours between automatic checks of the audit log; the first an hour after the start. 0: none.",
    ),
    retention_days: count(400, 1, 36_500, "Days audit records are kept; whole months are dropped."),
    publish: Type.Boolean({
      default: false,
      description:
        "Serve hashes and signed checkpoints of the audit log to everybody at /audit/log (C2SP tlog-tiles). Records are never served there.",
    }),
    witnesses: Type.Array(Witness, {
      default: [],
      expects: 'a list of { url = "https://witness.example.com", key = "NAME+ID+KEY" } (JSON in a variable)',
      description: `Witnesses that sign the audit log's checkpoints: url and key of each, as ${commandLine(COMMANDS.witness())} prints them.`,
    }),
    ship: oneOf(
      ["async", "sync"],
      "async",
      "With database.url. async: an answer waits for its record on this host's disk; sync: until it is in PostgreSQL too, for hosts without a lasting disk.",
    ),
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
export type SettingKind = "string" | "integer" | "number" | "list" | "map" | "json";

/** One setting, flat: what the loader, the listings and the reference work on. */
export type Key = {
  /** `upstream.connect_ms`. */
  readonly path: string;
  readonly schema: TSchema;
  readonly kind: SettingKind;
  readonly secret: boolean;
  /** The name of its variable where that is not made of its path; null otherwise. */
  readonly variable: string | null;
  readonly fallback: unknown;
  readonly description: string;
  /** The form of a good value, in words. */
  readonly expects: string;
};

const kindOf = (schema: TSchema): SettingKind => {
  if (schema["type"] === "integer" || schema["type"] === "number") return schema["type"];
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
