import { GuardError } from "#core/errors";
import { CALL_DECISIONS } from "#model/call-entry";
import { isUuid } from "#platform/ids";
import type { CallFilter } from "#store/call-index-port";
import type { AuditRow } from "#store/record";
import type { Arguments } from "./arguments";
import { usage } from "./exit";
import { parseMoment } from "./moments";
import type { CliSession } from "./session";

/** The id of the agent that `--agent` names. Throws `not_found`; a usage `CliExit` where several have that name. */
const agentIdOf = async ({ access, store }: CliSession, args: Arguments): Promise<string | undefined> => {
  const said = args.text("agent");
  const owner = args.text("owner");
  if (said === undefined) return undefined;
  if (owner !== undefined || isUuid(said)) return (await access.agent(said, owner ?? null)).id;
  const [agent, other] = (await store.agents.list()).filter(({ name }) => name === said);
  if (other) throw usage(`--agent: several agents are called ${said}; add --owner EMAIL, or give an id`);
  if (!agent) throw new GuardError("not_found", `There is no agent ${said}`, { param: "agent" });
  return agent.id;
};

const decisionIn = (text: string | undefined): string | undefined => {
  if (text === undefined || CALL_DECISIONS.some((one) => one === text)) return text;
  throw usage(`--decision: one of ${CALL_DECISIONS.join(", ")}`);
};

/** What the flags ask for, in the words of the store's search of calls. */
export const callFilterOf = async (session: CliSession, args: Arguments, now: number): Promise<CallFilter> => {
  const user = args.text("user");
  const moment = (flag: "since" | "until"): number | undefined => {
    const text = args.text(flag);
    return text === undefined ? undefined : parseMoment(text, flag, now);
  };
  return {
    kind: args.text("kind"),
    decision: decisionIn(args.text("decision")),
    agent_id: await agentIdOf(session, args),
    user_id: user === undefined ? undefined : (await session.access.userByEmail(user)).id,
    model: args.text("model"),
    tool: args.text("tool"),
    conversation_id: args.text("conversation"),
    since: moment("since"),
    until: moment("until"),
  };
};

/** Of one search; then it is asked again from where it stopped. */
const PATIENCE_MS = 1_000;
const PAGE = 200;

/** The newest `most` that match and are wanted, newest first, of all hubs. */
export const newestCalls = async (
  { store }: CliSession,
  filter: CallFilter,
  { most, isWanted = () => true }: { readonly most: number; readonly isWanted?: (row: AuditRow) => boolean },
): Promise<AuditRow[]> => {
  const rows: AuditRow[] = [];
  let before: string | null = null;
  do {
    const limit = Math.min(PAGE, most);
    const found = await store.calls.search({ filter, scope: null, before, limit, patienceMs: PATIENCE_MS });
    rows.push(...found.rows.filter(isWanted));
    before = found.next;
  } while (before !== null && rows.length < most);
  return rows.slice(0, most);
};

const MAX_LINES = 10_000;

/** `-n`. Throws a usage `CliExit`. */
export const linesIn = (args: Arguments, fallback: number): number => {
  const text = args.text("lines") ?? String(fallback);
  const n = /^\d{1,6}$/.test(text) ? Number(text) : Number.NaN;
  if (!(n >= 1 && n <= MAX_LINES)) throw usage(`-n: a whole number from 1 to ${MAX_LINES}`);
  return n;
};
