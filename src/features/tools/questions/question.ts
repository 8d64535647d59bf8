import { isRecord, type JsonRecord } from "#core/json/json";
import { isLongerThan } from "#core/json/json-size";
import type { QuestionModes } from "#features/tools/dialect/port";
import type { QuestionRefusal } from "#model/audit";
import { isHostAllowed } from "#model/server-tools";
import { RPC } from "#model/tools/mcp";
import type { ElicitRequestFormParams, ElicitRequestURLParams, Unchecked } from "#model/tools/mcp-types";
import { asksForCredential } from "#scan/structure/credential-question";
import type { QuestionReply } from "#upstream/tool-port";

/** UTF-16 units of a whole question. */
const MAX_QUESTION = 65_536;
/** The same of what is read for requests for credentials: the message, names, titles and descriptions of fields. */
const MAX_READ = 8_192;
const MAX_FIELDS = 100;
const MAX_URL_LENGTH = 2_048;

/** A question as its server put it, with what the hub has found out about it. */
export type Question =
  | { readonly mode: "form"; readonly host: null; readonly params: JsonRecord }
  | { readonly mode: "url"; readonly host: string; readonly params: JsonRecord };

export type RefusedQuestion = {
  readonly mode: "form" | "url";
  readonly host: string | null;
  readonly reason: QuestionRefusal;
};

export type QuestionRules = {
  /** What the caller's client can show. */
  readonly modes: QuestionModes;
  /** Where people may be sent to. */
  readonly hosts: readonly string[];
};

/** What a question may be, before its texts are scanned. */
export const judged = (params: JsonRecord, { modes, hosts }: QuestionRules): Question | RefusedQuestion => {
  const {
    mode: said,
    message,
    requestedSchema,
    url,
  }: Unchecked<ElicitRequestFormParams & ElicitRequestURLParams> = params;
  const mode = said === "url" ? "url" : "form";
  const isKnown = said === undefined || said === "form" || said === "url";
  const refused = (reason: QuestionRefusal, host: string | null = null): RefusedQuestion => ({ mode, host, reason });
  if (!isKnown || typeof message !== "string" || isLongerThan(params, MAX_QUESTION)) return refused("invalid");
  if (!modes[mode]) return refused("unsupported");
  if (mode === "form") {
    if (!isForm(requestedSchema) || readLength(message, requestedSchema) > MAX_READ) return refused("invalid");
    return asksForCredential(params) ? refused("credential") : { mode, host: null, params };
  }
  const host = safeHost(url);
  if (host === null) return refused("url");
  return mayBeOpened(host, hosts) ? { mode, host, params } : refused("url", host);
};

const readLength = (message: string, { properties }: JsonRecord): number => {
  let length = message.length;
  for (const [name, field] of Object.entries(isRecord(properties) ? properties : {})) {
    const { title, description } = isRecord(field) ? field : {};
    for (const text of [name, title, description]) if (typeof text === "string") length += text.length;
  }
  return length;
};

const isForm = (schema: unknown): schema is JsonRecord => {
  if (!isRecord(schema) || schema["type"] !== "object") return false;
  const { properties } = schema;
  return isRecord(properties) && Object.keys(properties).length <= MAX_FIELDS;
};

/**
 * The host of an address that people can be shown: https, and without what makes one host look like another (a user
 * before the host, backslashes, control characters). Null for others.
 */
const safeHost = (url: unknown): string | null => {
  if (
    typeof url !== "string" ||
    url.length > MAX_URL_LENGTH ||
    !/^https:\/\/[^\s\\@/?#]+(?:[/?#][^\s\\]*)?$/u.test(url)
  ) {
    return null;
  }
  if (!URL.canParse(url)) return null;
  const { host, username, password } = new URL(url);
  return username === "" && password === "" ? host : null;
};

/** A host of letters of other scripts can look like any other: a pattern does not name it, only itself does. */
const mayBeOpened = (host: string, allowed: readonly string[]): boolean =>
  /(?:^|\.)xn--/.test(host) ? allowed.includes(host) : isHostAllowed(allowed, host);

/** What the person is told beside the question: whose it is, and where an address leads. */
export const introduced = ({ mode, host, params }: Question, slug: string): JsonRecord => {
  const who = mode === "form" ? `${slug} asks:` : `${slug} asks you to open a page at ${host}:`;
  return { ...params, message: `${who} ${params["message"]}` };
};

const REASONS: Readonly<Record<QuestionRefusal, string>> = {
  credential:
    "a form must not ask for passwords, keys, tokens, codes or card data (MCP specification, elicitation). Use URL mode.",
  guard: "the guard found something in the question that must not be shown.",
  invalid: "it is no valid question of the protocol, or too long.",
  too_many: "the call has asked as many questions as it may.",
  unsupported: "the caller's client does not support this mode of elicitation.",
  url: "its address is not https, or its host is not allowed at this hub.",
};

export const refusalText = (reason: QuestionRefusal): string => `The gateway did not ask the user: ${REASONS[reason]}`;

/** What the server is told: the code of 2025-11-25 for what a client does not support, too. */
export const refusalReply = (reason: QuestionRefusal): QuestionReply => ({
  kind: "error",
  code: RPC.invalidParams,
  message: refusalText(reason),
});
