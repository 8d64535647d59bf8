import { CALL_DECISIONS } from "#core/call-entry";
import { GuardError } from "#core/errors";
import { momentIn } from "#http/moment";
import { limitOf } from "#http/page";
import type { CallFilter } from "#store/call-index-port";

export type Query = Readonly<Record<string, string | undefined>>;

/** What an address asks for. */
export type WantedCalls = { readonly filter: CallFilter; readonly before: number | null; readonly limit: number };

const NAMES = ["kind", "outcome", "user_id", "agent_id", "token_id", "model", "tool", "conversation_id"] as const;
const KNOWN: readonly string[] = [...NAMES, "decision", "action", "flag_type", "since", "until", "cursor", "limit"];
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
