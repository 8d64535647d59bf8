import { CALL_DECISIONS } from "#core/call-entry";
import { GuardError } from "#core/errors";
import { Type } from "#core/schema";
import { momentIn } from "#http/moment";
import { oneOf } from "#http/openapi/shapes";
import { limitOf } from "#http/page";
import type { CallFilter } from "#store/call-index-port";

export type Query = Readonly<Record<string, string | undefined>>;

/** What an address asks for. */
export type WantedCalls = { readonly filter: CallFilter; readonly before: number | null; readonly limit: number };

const NAMES = ["kind", "outcome", "user_id", "agent_id", "token_id", "model", "tool", "conversation_id"] as const;
const KNOWN: readonly string[] = [...NAMES, "decision", "action", "flag_type", "since", "until", "cursor", "limit"];
const text = (description: string) => Type.String({ maxLength: 300, description });

/** The filters, for the document; `cursor` here is a number of the log. */
export const CALL_QUERY = {
  cursor: Type.String({
    pattern: "^([1-9][0-9]{0,14})?$",
    description: "next_cursor of the page before; empty for the first.",
  }),
  kind: text("chat.completion, tool.call, tool.list, guard.scan, or the kind of a change."),
  outcome: text("answered, blocked_input, refused …"),
  decision: oneOf(CALL_DECISIONS, "What became of it."),
  action: oneOf(CALL_DECISIONS, "The same as decision."),
  flag_type: text("A type of flag, or what it begins with: pii, secret.aws."),
  user_id: text("The id of who called."),
  agent_id: text("The id of the agent."),
  token_id: text("The id of the token."),
  model: text("The model that was asked for."),
  tool: text("The public name of the tool."),
  conversation_id: text("As the caller said it."),
  since: Type.String({ format: "date-time", description: "Not before." }),
  until: Type.String({ format: "date-time", description: "Before." }),
} as const;

/** Longer than any name that is recorded. */
const LONGEST = 300;

/** Throws `invalid_value`, also for what is no filter: a slip of the pen would show everything instead. */
export const wantedCalls = (query: Query): WantedCalls => {
  const stranger = Object.keys(query).find((name) => !KNOWN.includes(name));
  if (stranger !== undefined) throw bad(stranger, `is no filter here. There are ${KNOWN.join(", ")}.`);
  const named = NAMES.map((name) => [name, textIn(query, name)] as const);
  const filter: CallFilter = {
    ...Object.fromEntries(named.filter(([, value]) => value !== undefined)),
    decision: decisionIn(query),
    // `pii` and `pii.` and `pii.*` are the same.
    flag: textIn(query, "flag_type")?.replace(/\.?\*?$/, ""),
    since: momentIn("since", textIn(query, "since")),
    until: momentIn("until", textIn(query, "until")),
  };
  return { filter, before: cursorIn(query), limit: limitOf(textIn(query, "limit")) };
};

const textIn = (query: Query, name: string): string | undefined => {
  const text = query[name];
  if (text === undefined || text === "") return undefined;
  if (text.length > LONGEST) throw bad(name, "is too long.");
  return text;
};

const decisionIn = (query: Query): string | undefined => {
  const name = query["decision"] ? "decision" : "action";
  const text = textIn(query, name);
  if (text === undefined || CALL_DECISIONS.some((one) => one === text)) return text;
  throw bad(name, `must be one of ${CALL_DECISIONS.join(", ")}.`);
};

const cursorIn = (query: Query): number | null => {
  const text = textIn(query, "cursor");
  if (text === undefined) return null;
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  throw bad("cursor", "must be the next_cursor of an earlier page.");
};

const bad = (param: string, how: string): GuardError => new GuardError("invalid_value", `${param} ${how}`, { param });
