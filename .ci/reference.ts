/*
 * The parts of the documents that are read off the code. `bun .ci/reference.ts` prints all of them, `… NAME` one,
 * `--write` puts each between its marks in docs/: `<!-- reference: NAME -->` … `<!-- /reference -->`.
 * test/docs.test.ts fails when a document says something else than the code.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { VERBS } from "#cli/catalogue";
import { EXIT } from "#cli/exit";
import { formOf } from "#cli/help-text";
import type { Verb } from "#cli/verb";
import { ECHO_MODEL, EXAMPLES, type Example, NO_TOKEN, type Snippet } from "#clients/examples";
import { configKeys } from "#config/schema";
import { variableOf } from "#config/sources";
import { ERROR_CATALOGUE, type ErrorCode } from "#core/errors";
import { EVENTS } from "#model/event";
import { DEFAULT_POLICY } from "#scan/defaults";
import { type Detector, ORIGINS } from "#scan/detector";
import { DETECTORS } from "#scan/detectors/index";
import { HIDDEN_TEXT } from "#scan/fold/hidden-text";
import type { PolicyRule } from "#scan/policy";
import { type Documented, detectionTables } from "#test/eval/documented";

const DOCS = join(import.meta.dir, "../docs");

const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("\n", " ");
const code = (text: string): string => (text === "" ? "" : `\`${text}\``);

const table = (headings: readonly string[], rows: readonly (readonly string[])[]): string =>
  [headings, headings.map(() => "---"), ...rows].map((row) => `| ${row.map(cell).join(" | ")} |`).join("\n");

const settings = (): string =>
  table(
    ["Key", "Variable", "Default", "Purpose", "Values"],
    configKeys().map((key) => [
      code(key.path),
      code(variableOf(key)),
      key.fallback === null || key.fallback === "" ? "not set" : code(JSON.stringify(key.fallback)),
      key.description,
      key.expects,
    ]),
  );

/** Cause of each error code, and what to do. A code without an entry does not compile. */
const ERRORS: Readonly<Record<ErrorCode, readonly [when: string, what: string]>> = {
  invalid_api_key: [
    "No gateway token, or one that is malformed, unknown, expired, disabled or revoked; at the endpoint of a [hook source](verdicts.md#signatures), no secret or signature of one. The same answer for all of these.",
    "Ask the person who issued the token. `guardhouse token list` shows its state.",
  ],
  sign_in_failed: [
    "Wrong e-mail address or password, or a disabled user. The same answer for all of these.",
    "Try again, or ask an administrator for a link: `guardhouse user invite`.",
  ],
  password_sign_in_off: [
    "Password sign-in is off (`password_sign_in`).",
    "Sign in by the provider on the sign-in page. In an emergency `guardhouse user invite` creates a link that signs in once.",
  ],
  fresh_session_required: [
    "Creating credentials, users or roles requires a browser session authenticated within the last 10 minutes.",
    "Send the password to `POST /api/me/confirm`, or have the browser confirm at the OpenID provider (`/api/auth/oidc/confirm`), and repeat the request. Session keys are always fresh.",
  ],
  insufficient_scope: [
    "The credential does not permit this: a gateway token under `/api`, or a user whose role is not sufficient.",
    "Under `/api` sign in, or use a session key: `guardhouse session create`.",
  ],
  agent_suspended: [
    "The token's agent is suspended. All its requests are refused.",
    "Ask the agent's owner or an administrator.",
  ],
  killed: [
    "A kill switch is active for the agent, its owner, the model, the tool server or everything. It ends open streams too.",
    "Wait until an administrator deactivates it: `guardhouse killswitch status`.",
  ],
  model_not_allowed: [
    "The agent's profile or a restriction does not allow this model, or it has no price and a [budget](money.md#budgets) applies; `error.guard.layer` says which.",
    "Use an allowed model, submit a review that adds this one, or have its price set: `guardhouse price set`.",
  ],
  tool_not_allowed: [
    "The request declares a tool that the agent's profile or a restriction does not allow.",
    "Remove the tool named in `error.param`, or submit a review that adds it.",
  ],
  model_not_found: [
    "No provider serves this model.",
    "List models: `GET /v1/models`. Operators: `guardhouse provider add`.",
  ],
  parameter_not_allowed: [
    "The body has a field that would choose the provider or its API key (`base_url`, `api_key`, `extra_headers` …), or a value above the profile's limit.",
    "Remove or lower the field named in `error.param`.",
  ],
  rate_limit_exceeded: [
    "More requests, tokens or concurrent calls than the agent's profile or a restriction allows, or too many long texts of one token waiting to be scanned.",
    "Wait for `Retry-After` seconds.",
  ],
  insufficient_quota: [
    "The agent's daily requests or tokens (UTC), its calls in this conversation, or a [budget](money.md#budgets) in money are used up.",
    "Continue tomorrow or in another conversation, submit a review with higher limits, or ask an administrator for a larger budget.",
  ],
  report_limit_exceeded: [
    "More than five disputes and miss reports of one user within an hour, over all tokens.",
    "Wait for `Retry-After` seconds.",
  ],
  not_disputable: [
    "The event was neither a block nor a redaction.",
    "To report something missed use `/v1/guard/miss-reports`.",
  ],
  content_mismatch: [
    "The content of the dispute does not occur in the blocked text.",
    "Send the text of the call, or omit it: the hub stores blocked text for a day by default.",
  ],
  idempotency_mismatch: ["The `Idempotency-Key` was used for a different request.", "Use a new key for a new request."],
  idempotency_in_flight: ["The request with this `Idempotency-Key` is still open.", "Wait, then send it again."],
  below_floor: ["The change would go below the floor.", "Choose a narrower change."],
  state_conflict: [
    "The object's state does not permit this: a closed review, a decided hold.",
    "Read the object again.",
  ],
  approval_required: ["An approval is required first.", "Ask a person who may approve."],
  no_eligible_approver: [
    "All users who could approve are involved in the change.",
    "Give another user the role reviewer or admin.",
  ],
  invalid_json: ["The body is not valid JSON.", "Fix the client."],
  invalid_value: [
    "The body has the wrong shape, or is nested too deeply.",
    "Correct the field named in `error.param`.",
  ],
  invalid_host: [
    "The `Host` header is not a name of this hub.",
    "Operators: set `public_url`, or add the name to `allowed_hosts`.",
  ],
  tool_not_found: [
    "No such tool, or it is hidden from the caller.",
    "List the tools, or call `guardhouse__whoami` to see what hides them.",
  ],
  origin_not_allowed: [
    "A web page of another origin called the tool gateway, or tried to change something with a user's cookie.",
    "Add the page's origin to `tool_gateway.allowed_origins`; open the hub's own pages at `public_url`.",
  ],
  stale_base: [
    "The object has changed since it was read, for example a tool's definition.",
    "Read it again and decide anew.",
  ],
  already_exists: ["The name is taken.", "Choose another name, or change the existing object."],
  request_too_large: ["The body is larger than `limits.body_bytes`.", "Send less, or raise the limit."],
  content_filter: [
    "The guard blocked the call or its answer.",
    "Remove what `error.param` points at. The same text is blocked again: do not retry unchanged.",
  ],
  not_found: ["It does not exist, or you may not see it.", "Check the id."],
  unknown_url: [
    "No such path.",
    "Check `OPENAI_BASE_URL`: it ends in `/v1`. For APIs that are not served the message names [the client setting](clients.md#settings) to change.",
  ],
  websocket_not_offered: ["The request asks for a WebSocket.", "Send it as `POST` over HTTP."],
  method_not_allowed: ["The path does not support this method.", "The `Allow` header lists the methods."],
  link_invalid: [
    "A set-up or invitation link is used, expired or wrong.",
    "Ask for a new one: `guardhouse user invite`. For the first administrator restart the hub.",
  ],
  endpoint_removed: [
    "The guard session proxy of earlier versions.",
    "Send the gateway token to `/v1`; no session is needed.",
  ],
  audit_unavailable: [
    "The audit record cannot be written: disk full or failing. No call is served without its record.",
    "Retry after `Retry-After`. Operators: check the disk, then `guardhouse doctor`.",
  ],
  guard_unavailable: [
    "The scanner failed on this call, or its queue for long texts is full.",
    "Retry, after `Retry-After` if present. Operators: check the log and `guardhouse_scan_waiting`.",
  ],
  database_unavailable: [
    "The PostgreSQL of the configuration does not answer. Calls are served by what is known for 10 s; nothing can be changed.",
    "Retry after `Retry-After`. Operators: check PostgreSQL, then `guardhouse doctor`.",
  ],
  setup_required: [
    "The hub has no administrator yet and listens on more than loopback.",
    "Open the link that `serve` printed at start, or run `guardhouse admin create`.",
  ],
  client_closed: ["The client disconnected. Only in audit records.", "Nothing."],
  shutting_down: ["The hub is stopping.", "Retry after `Retry-After`."],
  internal_error: ["A fault in the hub.", "Operators: find it in the log by `x-request-id`."],
  upstream_auth_failed: ["The provider refused the hub's API key.", "Operators: `guardhouse provider test NAME`."],
  upstream_rate_limited: [
    "The provider's rate limit or `upstream.max_concurrent` is reached, after all retries.",
    "Wait, then retry.",
  ],
  upstream_error: [
    "The provider is unreachable, failed, disconnected, or sent an invalid answer or more than `upstream.answer_bytes`, after all retries.",
    "Retry later. Operators: `guardhouse provider test NAME`.",
  ],
  upstream_timeout: [
    "The provider sent nothing for too long, or the call exceeded `upstream.total_ms`.",
    "Ask for less, or raise the limit.",
  ],
};

const errors = (): string => {
  const codes: readonly ErrorCode[] = Object.keys(ERROR_CATALOGUE).filter((name) => name in ERRORS) as ErrorCode[];
  return table(
    ["Code", "Status", "Type", "SDKs retry", "Cause", "What to do"],
    codes.map((name) => {
      const { status, type, retry } = ERROR_CATALOGUE[name];
      return [code(name), String(status), code(type), retry ? "yes" : "no", ...ERRORS[name]];
    }),
  );
};

const EXITS: Readonly<Record<keyof typeof EXIT, string>> = {
  ok: "Success.",
  failure: "Failure; one line on stderr says why.",
  usage: "Invalid command line.",
  configuration: "Invalid settings; every problem is named.",
  newerData: "The database was written by a later version of this program.",
  locked: "Another hub uses the data directory.",
  addressInUse: "The listen address is in use.",
  integrity:
    "The audit chain is broken, the database is damaged, or a secret cannot be decrypted with this master key.",
  notFound: "No such object, or no data directory.",
  blocked: "`scan`: the text would be blocked.",
  differs: "`apply --dry-run`: the configuration differs from the files.",
};

const exits = (): string => {
  const names = Object.keys(EXIT) as (keyof typeof EXIT)[];
  return table(
    ["Exit code", "Meaning"],
    names.map((name) => [String(EXIT[name]), EXITS[name]]),
  );
};

const from = (rule: PolicyRule, action: "flag" | "redact" | "block"): string =>
  rule.thresholds[action]?.toFixed(2) ?? "–";

const policy = (): string =>
  table(
    ["Flag type and all below it", "Origins", "flag from", "redact from", "block from"],
    DEFAULT_POLICY.rules.map((rule) => [
      code(rule.type),
      rule.origins?.join(", ") ?? "all others",
      from(rule, "flag"),
      from(rule, "redact"),
      from(rule, "block"),
    ]),
  );

/** Every flag type a detector can emit. */
const typesOf = (detector: Detector): string[] => [
  ...new Set([detector.type ?? detector.id, ...ORIGINS.flatMap((origin) => detector.types?.[origin] ?? [])]),
];

const detectors = (): string =>
  table(
    ["Detector", "Flag types", "Severity", "Highest score"],
    [
      ...DETECTORS.map((detector) => [
        code(detector.id),
        typesOf(detector).map(code).join(", "),
        detector.severity,
        String(detector.maxScore ?? 1),
      ]),
      [code(HIDDEN_TEXT.detector), code(HIDDEN_TEXT.type), "high", String(HIDDEN_TEXT.score)],
    ],
  );

const usage = (verb: Verb): string => ["```text", `guardhouse ${formOf(verb)}`, "```"].join("\n");

const events = (): string =>
  table(
    ["Event", "Meaning"],
    Object.entries(EVENTS).map(([type, meaning]) => [code(type), meaning]),
  );

const snippet = ({ place, systems, language, text }: Snippet): string =>
  [
    ...(place === null
      ? []
      : [
          `In ${/[~/.]/.test(place) ? code(place) : place}${systems === null ? "" : ` (${systems.replace(/: ([^;]+)/g, ": `$1`")})`}:`,
          "",
        ]),
    `\`\`\`${language}`,
    text,
    "```",
  ].join("\n");

/** The settings of a client, as the page shows them. */
const clientSettings = ({ facts, snippets }: Example): string => {
  const use = { hub: "https://hub.example.com", token: NO_TOKEN, model: ECHO_MODEL, words: "Hello" };
  const about = facts.length === 1 ? facts.join("") : facts.map((fact) => `- ${fact}`).join("\n");
  return [about, ...snippets(use).map(snippet)].join("\n\n");
};

const clients = (): string =>
  EXAMPLES.map((client) => [`### ${client.label}`, "", clientSettings(client)].join("\n")).join("\n\n");

/** Clients with a page of their own in docs/recipes. */
const WITH_RECIPES: readonly string[] = ["claude-code", "ide", "codex", "cursor", "langchain"];

/** Measured by `bun run eval DIR --document`, on samples that are not in the repository. */
const detection = (): (readonly [string, string])[] => {
  const measured: Documented = JSON.parse(readFileSync(join(DOCS, "detection.json"), "utf8"));
  return detectionTables(measured);
};

/** Every generated part by its name. */
export const PARTS: ReadonlyMap<string, string> = new Map([
  ["clients", clients()],
  ...EXAMPLES.filter(({ id }) => WITH_RECIPES.includes(id)).map(
    (client) => [`client ${client.id}`, clientSettings(client)] as const,
  ),
  ["settings", settings()],
  ["errors", errors()],
  ["exit codes", exits()],
  ["default policy", policy()],
  ["detectors", detectors()],
  ...detection(),
  ["events", events()],
  ...VERBS.map((verb) => [verb.name, usage(verb)] as const),
]);

const MARKED = /(<!-- reference: ([a-z -]+) -->\n)[\s\S]*?(<!-- \/reference -->)/g;

/** A document with every marked part as the code has it. Throws on a mark that names nothing. */
export const refreshed = (document: string): string =>
  document.replaceAll(MARKED, (_, open: string, name: string, close: string) => {
    const part = PARTS.get(name);
    if (part === undefined) throw new Error(`there is no reference part "${name}"`);
    return `${open}\n${part}\n\n${close}`;
  });

/** The names of the parts a document holds. */
export const partsIn = (document: string): string[] => [...document.matchAll(MARKED)].map(([, , name]) => name ?? "");

if (import.meta.main) {
  const [what] = process.argv.slice(2);
  if (what === "--write") {
    const names = readdirSync(DOCS, { recursive: true, encoding: "utf8" });
    for (const name of names.filter((file) => file.endsWith(".md"))) {
      const file = join(DOCS, name);
      const before = readFileSync(file, "utf8");
      const after = refreshed(before);
      if (after !== before) writeFileSync(file, after);
    }
  } else if (what === undefined) console.log([...PARTS].map(([name, part]) => `## ${name}\n\n${part}`).join("\n\n"));
  else console.log(PARTS.get(process.argv.slice(2).join(" ")) ?? `there is ${[...PARTS.keys()].join(", ")}`);
}
