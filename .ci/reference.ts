/*
 * The parts of the documents that are read off the code. `bun .ci/reference.ts` prints all of them, `… NAME` one,
 * `--write` puts each between its marks in docs/: `<!-- reference: NAME -->` … `<!-- /reference -->`.
 * test/docs.test.ts fails when a document says something else than the code.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { VERBS } from "#cli/catalogue";
import { EXIT } from "#cli/exit";
import { formOf } from "#cli/help";
import type { Verb } from "#cli/verb";
import { configKeys } from "#config/schema";
import { variableOf } from "#config/sources";
import { ERROR_CATALOGUE, type ErrorCode } from "#core/errors";
import { EVENTS } from "#core/event";
import { DEFAULT_POLICY } from "#core/scan/defaults";
import { type Detector, ORIGINS } from "#core/scan/detector";
import { DETECTORS } from "#core/scan/detectors/index";
import { HIDDEN_TEXT } from "#core/scan/hidden-text";
import type { PolicyRule } from "#core/scan/policy";

const DOCS = join(import.meta.dir, "../docs");

const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("\n", " ");
const code = (text: string): string => (text === "" ? "" : `\`${text}\``);

const table = (headings: readonly string[], rows: readonly (readonly string[])[]): string =>
  [headings, headings.map(() => "---"), ...rows].map((row) => `| ${row.map(cell).join(" | ")} |`).join("\n");

const settings = (): string =>
  table(
    ["Key", "Variable", "Default", "What for", "Good values"],
    configKeys().map((key) => [
      code(key.path),
      code(variableOf(key)),
      key.fallback === null || key.fallback === "" ? "not set" : code(JSON.stringify(key.fallback)),
      key.description,
      key.expects,
    ]),
  );

/** When a code is met, and what its reader does about it. A code without an entry does not compile. */
const ERRORS: Readonly<Record<ErrorCode, readonly [when: string, what: string]>> = {
  invalid_api_key: [
    "No token, or one that is malformed, unknown, expired, disabled or revoked. One answer for all of them.",
    "Ask whoever issued the token. `guardhouse token list` shows its state.",
  ],
  sign_in_failed: [
    "The e-mail address or the password is wrong. One answer for both, and for a user who is disabled.",
    "Try again, or ask an administrator for a link: `guardhouse user invite`.",
  ],
  password_sign_in_off: [
    "The hub's operator has switched passwords off (`password_sign_in`).",
    "Sign in by the provider that the sign-in page names. In an emergency `guardhouse user invite` makes a link that signs in once.",
  ],
  fresh_session_required: [
    "What makes something that opens a door, such as a key, a user or a role, takes a browser session whose holder proved who they are within the last 10 minutes.",
    "Send the password to `POST /api/me/confirm`, or have the browser confirm at the OpenID provider (`/api/auth/oidc/confirm`), and repeat the request. Session keys are always fresh.",
  ],
  insufficient_scope: [
    "The key may not do this: a gateway token under `/api`, or a person whose role does not reach so far.",
    "Under `/api` sign in, or use a session key: `guardhouse session create`.",
  ],
  agent_suspended: [
    "The token's agent is suspended. It may do nothing: no calls, no probes, no list of models.",
    "Ask the agent's owner or an administrator.",
  ],
  killed: [
    "A kill switch is on for the agent, its owner, the model, the tool server or everything. Open streams end with it too.",
    "Wait until an administrator lifts it: `guardhouse killswitch status`.",
  ],
  model_not_allowed: [
    "The agent's profile, or a restriction on it, does not allow this model. `error.guard.layer` says which.",
    "Use a model it allows, or have the agent reviewed with this one.",
  ],
  tool_not_allowed: [
    "The request declares a tool that the agent's profile, or a restriction on it, does not allow.",
    "Remove it; `error.param` names it. Or have the agent reviewed with this tool.",
  ],
  model_not_found: ["No provider's globs cover the model.", "`GET /v1/models`; operators: `guardhouse provider add`."],
  parameter_not_allowed: [
    "The body has a key that would choose the provider or its key (`base_url`, `api_key`, `extra_headers` …), or a value over the profile's limit.",
    "Remove it, or ask for less; `error.param` names it.",
  ],
  rate_limit_exceeded: [
    "More requests, tokens or calls at a time than the agent's profile, or a restriction on it, allows; or too many long texts of one token wait to be scanned.",
    "Wait as long as `Retry-After` says.",
  ],
  insufficient_quota: [
    "The agent's requests or tokens of this UTC day, or its calls of this conversation, are spent.",
    "Go on tomorrow or in another conversation, or have its limits reviewed.",
  ],
  report_limit_exceeded: [
    "More than five disputes and miss reports of one user within an hour, over all tokens.",
    "Wait as long as `Retry-After` says.",
  ],
  not_disputable: [
    "The event was neither a block nor a redaction.",
    "Report something missed: `/v1/guard/miss-reports`.",
  ],
  content_mismatch: [
    "The content sent with a dispute does not occur in what was blocked.",
    "Send the text as it was in the call, or leave it out: the hub keeps blocked text for a day.",
  ],
  idempotency_mismatch: ["The same `Idempotency-Key` came with another request.", "Use a new key for a new request."],
  idempotency_in_flight: [
    "The request with this `Idempotency-Key` is still being answered.",
    "Wait, then send it again.",
  ],
  below_floor: ["The change would go below the hub's floor.", "Choose a narrower change."],
  state_conflict: [
    "The thing is not in the state this needs: a review that is closed, a hold that was decided.",
    "Read it again.",
  ],
  approval_required: ["It has to be approved first.", "Ask somebody who may."],
  no_eligible_approver: [
    "Nobody who may decide is left once everybody with a hand in it is taken away.",
    "Give a further person the role reviewer or admin.",
  ],
  invalid_json: ["The body is not valid JSON.", "Fix the client."],
  invalid_value: ["The body has the wrong shape, or is nested too deeply.", "`error.param` says where."],
  invalid_host: [
    "The `Host` header is no name of this hub.",
    "Operators: `public_url`, or add the name to `allowed_hosts`.",
  ],
  tool_not_found: [
    "No tool of that name is yours to call; one that is hidden from you answers the same.",
    "List the tools, or call `guardhouse__whoami` to learn what hides them.",
  ],
  origin_not_allowed: [
    "A web page of another origin called the tool gateway, or would have changed something with a person's cookie.",
    "Add the page's origin to `tool_gateway.allowed_origins`; open the hub's own pages at its `public_url`.",
  ],
  stale_base: [
    "What the change was made against has changed meanwhile: a tool's definition is not the one that was read.",
    "Read it again and decide anew.",
  ],
  already_exists: ["There is a thing of that name already.", "Choose another name, or change the one there is."],
  request_too_large: ["The body is larger than `limits.body_bytes`.", "Send less, or raise the limit."],
  content_filter: [
    "The guard blocked the call, on the way in or out.",
    "Remove what `error.param` points at. The same text will be blocked again: do not retry unchanged.",
  ],
  not_found: ["What is asked for does not exist, or is not yours.", "Check the id."],
  unknown_url: [
    "Nothing is served at this path.",
    "Check `OPENAI_BASE_URL`: it ends in `/v1`. For an API that is not offered the message says [which setting of the client](clients.md#what-to-set) helps.",
  ],
  method_not_allowed: ["The path is right, the method is not.", "`Allow` lists the methods."],
  link_invalid: [
    "A link to set up or to set a password was used already, is too old, or never was one.",
    "Ask for a new one: `guardhouse user invite`; for the first administrator start the hub again.",
  ],
  endpoint_removed: ["The guard session proxy of earlier versions.", "Send the token to `/v1`; no session is needed."],
  audit_unavailable: [
    "The audit record cannot be written: a full or broken disk. Nothing is served without its record.",
    "Retry after `Retry-After`. Operators: disk, then `guardhouse doctor`.",
  ],
  guard_unavailable: [
    "The scanner failed on this call, or too many long texts of all callers wait for it, so it was not served.",
    "Retry, after `Retry-After` where there is one. Operators: the log, `guardhouse_scan_waiting`.",
  ],
  setup_required: [
    "The hub listens on an address others can reach and has no administrator yet.",
    "Open the link `serve` wrote when it started, or `guardhouse admin create`.",
  ],
  client_closed: ["The client went away. Seen in the record only.", "Nothing."],
  shutting_down: ["The hub is stopping.", "Retry after `Retry-After`."],
  internal_error: ["A fault in the hub.", "Operators find it in the log by `x-request-id`."],
  upstream_auth_failed: ["The provider refused the hub's key.", "Operators: `guardhouse provider test NAME`."],
  upstream_rate_limited: [
    "The provider limits its rate, or has `upstream.max_concurrent` calls under way; retries are used up.",
    "Wait, then ask again.",
  ],
  upstream_error: [
    "The provider cannot be reached, failed, broke off, answered nonsense or more than `upstream.answer_bytes`; retries are used up.",
    "Ask again later. Operators: `guardhouse provider test NAME`.",
  ],
  upstream_timeout: [
    "The provider was silent for too long, or the call took longer than `upstream.total_ms`.",
    "Ask for less, or raise the limit.",
  ],
};

const errors = (): string => {
  const codes: readonly ErrorCode[] = Object.keys(ERROR_CATALOGUE).filter((name) => name in ERRORS) as ErrorCode[];
  return table(
    ["Code", "Status", "Type", "SDKs may retry", "When", "What to do"],
    codes.map((name) => {
      const { status, type, retry } = ERROR_CATALOGUE[name];
      return [code(name), String(status), code(type), retry ? "yes" : "no", ...ERRORS[name]];
    }),
  );
};

const EXITS: Readonly<Record<keyof typeof EXIT, string>> = {
  ok: "It worked.",
  failure: "It did not; one line on stderr says why.",
  usage: "The command line is wrong.",
  configuration: "A setting is wrong; every problem is named.",
  newerData: "The database was written by a later version of this program.",
  locked: "Another process serves from the data directory.",
  addressInUse: "The address to listen on is taken.",
  integrity: "The audit chain is broken, the database is damaged, or a secret cannot be opened with this master key.",
  notFound: "There is no such thing, or no data directory.",
  blocked: "`scan`: the text would be blocked.",
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

/** Every generated part by its name. */
const events = (): string =>
  table(
    ["Event", "What it says"],
    Object.entries(EVENTS).map(([type, meaning]) => [code(type), meaning]),
  );

export const PARTS: ReadonlyMap<string, string> = new Map([
  ["settings", settings()],
  ["errors", errors()],
  ["exit codes", exits()],
  ["default policy", policy()],
  ["detectors", detectors()],
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
    for (const name of readdirSync(DOCS).filter((file) => file.endsWith(".md"))) {
      const file = join(DOCS, name);
      const before = readFileSync(file, "utf8");
      const after = refreshed(before);
      if (after !== before) writeFileSync(file, after);
    }
  } else if (what === undefined) console.log([...PARTS].map(([name, part]) => `## ${name}\n\n${part}`).join("\n\n"));
  else console.log(PARTS.get(process.argv.slice(2).join(" ")) ?? `there is ${[...PARTS.keys()].join(", ")}`);
}
