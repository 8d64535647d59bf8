import { GuardError } from "#core/errors";
import { MAX_PUBLISHED_AS, OWN_SLUG, SLUG, type ToolCredentials } from "#model/tools/tool";

const MAX_URL_LENGTH = 2_048;
const MAX_ARGUMENTS = 100;
const MAX_TEXT_LENGTH = 8_192;
const MAX_HEADERS = 20;
/** Self-hosted servers document more than twenty settings. */
const MAX_VARIABLES = 100;
const MAX_WAIT_MS = 86_400_000;
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/; // RFC 9110 §5.6.2
/** Without line breaks: stops header injection. */
const ONE_LINE = /^[\x20-\x7e\t]+$/;
/** Names of environment variables (POSIX, environment variable definition). */
const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/;

/** Headers that belong to the connection, to the body's framing or to MCP itself. */
const RESERVED = new Set(
  (
    "connection keep-alive proxy-authenticate proxy-authorization proxy-connection te trailer trailers " +
    "transfer-encoding upgrade host content-length content-type content-encoding accept accept-encoding expect " +
    "last-event-id mcp-session-id mcp-protocol-version mcp-method mcp-name"
  ).split(" "),
);

export const invalid = (param: string, problem: string): GuardError =>
  new GuardError("invalid_value", `The ${param.replaceAll("_", " ")} ${problem}.`, { param });

export const goodSlug = (slug: string): string => {
  if (!SLUG.test(slug)) throw invalid("slug", "must be lower-case letters, digits and '-', at most 24");
  if (slug === OWN_SLUG) throw invalid("slug", `cannot be "${OWN_SLUG}": the hub's own tools stand under it`);
  return slug;
};

/** One line, since lists show it; as long as registries allow. */
export const goodDescription = (text: string): string => {
  const said = text.trim();
  if (said === "" || said.length > MAX_PUBLISHED_AS || /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(said)) {
    throw invalid("description", `must be one line of 1 to ${MAX_PUBLISHED_AS} characters`);
  }
  return said;
};

/** A query is allowed; a user or a password is not, because addresses are shown. */
export const goodUrl = (text: string): string => {
  const url = URL.canParse(text) && text.length <= MAX_URL_LENGTH ? new URL(text) : null;
  if (!url || (url.protocol !== "https:" && url.protocol !== "http:")) {
    throw invalid("url", "must begin with http:// or https://");
  }
  if (url.username !== "" || url.password !== "") throw invalid("url", "must not hold a user or a password");
  if (url.hash !== "" || text.includes("#")) throw invalid("url", "must not hold a fragment");
  return url.href;
};

/** An address as it may be recorded: keys are put into queries by some. */
export const withoutQuery = (url: string | null): string | null => url?.replace(/\?.*$/s, "") ?? null;

export const goodCommand = (command: readonly string[]): readonly string[] => {
  const [program = ""] = command;
  if (program.trim() === "") throw invalid("command", "must name a program");
  if (command.length > MAX_ARGUMENTS) throw invalid("command", `has more than ${MAX_ARGUMENTS} arguments`);
  if (command.some((part) => part.length > MAX_TEXT_LENGTH || part.includes("\0"))) {
    throw invalid("command", "has an argument that is too long or holds a zero byte");
  }
  return command;
};

/** Milliseconds, or null for the hub's default. */
export const goodWait = (param: "call_ms" | "list_ms", ms: number | null): number | null => {
  if (ms !== null && (!Number.isInteger(ms) || ms < 1 || ms > MAX_WAIT_MS)) {
    throw invalid(param, `must be from 1 to ${MAX_WAIT_MS} milliseconds`);
  }
  return ms;
};

const MAX_HOSTS = 50;
/** As in `tool_gateway.elicitation_hosts`, but for `*`: a user's server may not send people anywhere. */
const HOST = /^(?:\*\.)?[a-z0-9-]+(?:\.[a-z0-9-]+)+(?::\d{1,5})?$/;

export const goodHosts = (hosts: readonly string[]): readonly string[] => {
  if (hosts.length > MAX_HOSTS) throw invalid("elicitation_hosts", `are more than ${MAX_HOSTS}`);
  if (hosts.some((host) => host.length > 253 || !HOST.test(host))) {
    throw invalid("elicitation_hosts", "must be host names in small letters, e.g. login.example.com or *.example.com");
  }
  return hosts;
};

export const goodCredentials = (credentials: ToolCredentials): ToolCredentials => {
  if (credentials.kind === "headers") return { kind: "headers", headers: goodHeaders(credentials.headers) };
  if (credentials.kind === "environment") return goodVariables(credentials);
  const { client_id, client_secret, scope } = credentials;
  for (const [param, text] of Object.entries({ client_id, client_secret, scope })) {
    if (text !== null && (!ONE_LINE.test(text) || text.length > MAX_TEXT_LENGTH)) {
      throw invalid(param, "must be one line of visible ASCII characters");
    }
  }
  if (client_secret !== null && client_id === null) throw invalid("client_secret", "needs a client id beside it");
  return credentials;
};

const goodVariables = (credentials: Extract<ToolCredentials, { kind: "environment" }>): ToolCredentials => {
  const pairs = Object.entries(credentials.variables);
  if (pairs.length === 0) throw invalid("variables", "must name at least one variable");
  if (pairs.length > MAX_VARIABLES) throw invalid("variables", `are more than ${MAX_VARIABLES}`);
  for (const [name, value] of pairs) {
    if (!VARIABLE.test(name)) throw invalid("variables", "have a name that is none: letters, digits and '_' make one");
    // The system ends a value there, whatever comes behind.
    if (value.includes("\0") || value.length > MAX_TEXT_LENGTH) {
      throw invalid("variables", `need a text of at most ${MAX_TEXT_LENGTH} characters for ${name}`);
    }
  }
  return credentials;
};

const goodHeaders = (headers: Readonly<Record<string, string>>): Record<string, string> => {
  const pairs = Object.entries(headers).map(([name, value]) => [name, value.trim()] as const);
  if (pairs.length === 0) throw invalid("headers", "must name at least one header");
  if (pairs.length > MAX_HEADERS) throw invalid("headers", `are more than ${MAX_HEADERS}`);
  for (const [name, value] of pairs) {
    if (!TOKEN.test(name)) throw invalid("headers", "have a name that is none: letters, digits and '-' make one");
    if (isReserved(name)) throw invalid("headers", `cannot set ${name}: it belongs to the connection or to MCP`);
    if (!ONE_LINE.test(value) || value.length > MAX_TEXT_LENGTH) {
      throw invalid("headers", `need one line of visible ASCII characters for ${name}`);
    }
  }
  const names = new Set(pairs.map(([name]) => name.toLowerCase()));
  if (names.size < pairs.length) throw invalid("headers", "name one header twice");
  return Object.fromEntries(pairs);
};

const isReserved = (name: string): boolean => {
  const lower = name.toLowerCase();
  return RESERVED.has(lower) || lower.startsWith("mcp-param-");
};
