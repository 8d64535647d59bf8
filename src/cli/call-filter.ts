import { GuardError } from "#core/errors";
import { CALL_QUERY, callFilterIn, orderOf } from "#features/calls/query";
import { type QueryValues, queryOf as queryValues } from "#http/endpoint-input";
import { checkQuery } from "#http/openapi/query-check";
import type { Agent } from "#model/agent";
import { isUuid } from "#platform/ids";
import type { CallFilter, CallOrder } from "#store/call-index-port";
import type { AuditRow } from "#store/record";
import type { Arguments } from "./arguments";
import { usage } from "./exit";
import { parseMoment } from "./moments";
import type { CliSession } from "./session";

/**
 * The agent that `--agent` names, for those who look: its owner need be said only where several agents have that name.
 * Throws `not_found`; a usage `CliExit` where several have it.
 */
export const agentSaid = async ({ access, store }: CliSession, said: string, owner?: string): Promise<Agent> => {
  if (owner !== undefined || isUuid(said)) return access.agent(said, owner ?? null);
  const [agent, other] = (await store.agents.list()).filter(({ name }) => name === said);
  if (other) throw usage(`--agent: several agents are called ${said}; add --owner EMAIL, or give an id`);
  if (!agent) throw new GuardError("not_found", `There is no agent ${said}`, { param: "agent" });
  return agent;
};

/** The filters of `/api/calls`, and the flag of each. */
const FLAGS = {
  category: "category",
  kind: "kind",
  outcome: "outcome",
  decision: "decision",
  flag_type: "finding",
  token_id: "token",
  model: "model",
  tool: "tool",
  conversation_id: "conversation",
  status: "status",
  min_latency_ms: "min-latency-ms",
  max_latency_ms: "max-latency-ms",
  min_tokens: "min-tokens",
  max_tokens: "max-tokens",
  min_cost_usd: "min-cost-usd",
  max_cost_usd: "max-cost-usd",
  cost_basis: "cost-basis",
  sort: "sort",
} as const satisfies Partial<Record<keyof typeof CALL_QUERY, string>>;
type Name = keyof typeof FLAGS;

const isName = (name: string): name is Name => Object.hasOwn(FLAGS, name);

/** What the flags say, held against the schema that `/api/calls` is held against. Throws a usage `CliExit`. */
const queryOf = (args: Arguments): QueryValues<typeof CALL_QUERY> => {
  const given = new URLSearchParams();
  for (const [name, flag] of Object.entries(FLAGS)) {
    const text = args.text(flag);
    if (text !== undefined) given.set(name, text);
  }
  try {
    checkQuery(CALL_QUERY, given);
  } catch (error) {
    if (!(error instanceof GuardError)) throw error;
    const name = error.param ?? "";
    throw usage(error.message.replace(name, isName(name) ? `--${FLAGS[name]}` : name).replace(/\.$/, ""));
  }
  return queryValues(CALL_QUERY, Object.fromEntries(given));
};

/** What the flags ask for, in the words of the store's search of calls. */
export const callFilterOf = async (
  session: CliSession,
  args: Arguments,
  now: number,
  filterIn = callFilterIn,
): Promise<CallFilter> => {
  const { sort: _, ...query } = queryOf(args);
  const user = args.text("user");
  const agent = args.text("agent");
  const moment = (flag: "since" | "until"): number | undefined => {
    const text = args.text(flag);
    return text === undefined ? undefined : parseMoment(text, flag, now);
  };
  return {
    ...filterIn(query),
    agent_id: agent === undefined ? undefined : (await agentSaid(session, agent, args.text("owner"))).id,
    user_id: user === undefined ? undefined : (await session.access.userByEmail(user)).id,
    since: moment("since"),
    until: moment("until"),
  };
};

/** `--sort`; undefined for newest first. */
export const callOrderOf = (args: Arguments): CallOrder | undefined => orderOf(queryOf(args).sort ?? "-time");

/** Of one search; then it is asked again from where it stopped. */
const PATIENCE_MS = 1_000;
const PAGE = 200;

/** The first `most` that match and are wanted, newest first or in that order, of all hubs. */
export const newestCalls = async (
  { store }: CliSession,
  filter: CallFilter,
  {
    most,
    order,
    isWanted = () => true,
  }: {
    readonly most: number;
    readonly order?: CallOrder | undefined;
    readonly isWanted?: (row: AuditRow) => boolean;
  },
): Promise<AuditRow[]> => {
  const rows: AuditRow[] = [];
  let before: string | null = null;
  do {
    const limit = Math.min(PAGE, most);
    const found = await store.calls.search({ filter, scope: null, order, before, limit, patienceMs: PATIENCE_MS });
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
