import { RestrictionScopeCheck } from "#features/restrictions/restriction-scope";
import type { RestrictionResponse } from "#features/restrictions/schema";
import type { RestrictionService } from "#features/restrictions/service";
import { systemClock } from "#platform/clock";
import { RESTRICTION_KINDS, type RestrictionScope } from "#policy/restrictions/restriction";
import { agentNamed } from "./agents";
import type { Arguments } from "./arguments";
import { EXIT, usage } from "./exit";
import { parseDuration, shortTime } from "./moments";
import { card } from "./output";
import { type CliSession, changing, reading } from "./session";
import type { RunVerb } from "./verb";

const serviceOf = ({ parts }: CliSession): RestrictionService => parts.restrictionService;

const listIn = (text: string | undefined): readonly string[] | undefined =>
  text?.split(",").flatMap((one) => (one.trim() === "" ? [] : [one.trim()]));

const countIn = (args: Arguments, flag: string): number | undefined => {
  const text = args.text(flag);
  if (text === undefined) return undefined;
  if (!/^\d{1,9}$/.test(text)) throw usage(`--${flag}: expected a whole number, got "${text}"`);
  return Number(text);
};

/** What the flags say, in the words of the API; each kind refuses what is not for it. */
const scopeIn = (args: Arguments): RestrictionScope => {
  const given = args.text("kind");
  const kind = RESTRICTION_KINDS.find((one) => one === given);
  if (kind === undefined) throw usage(`--kind: one of ${RESTRICTION_KINDS.join(", ")}, got "${given}"`);
  const tools = listIn(args.text("tools"));
  const params = {
    models_allow: listIn(args.text("models")),
    [kind === "human_approval" ? "tools" : "tools_deny"]: tools,
    commands_deny: listIn(args.text("commands")),
    files_deny: listIn(args.text("files")),
    read_only: args.on("read-only") || undefined,
    requests_per_minute: countIn(args, "requests-per-minute"),
    tokens_per_minute: countIn(args, "tokens-per-minute"),
    concurrent: countIn(args, "concurrent"),
  };
  const said = Object.fromEntries(Object.entries(params).filter(([, value]) => value !== undefined));
  return new RestrictionScopeCheck().narrowed({ kind, params: said });
};

/** `read_only`, `tools_deny files__delete, mail__*`. */
const paramsOf = ({ params }: RestrictionResponse): string =>
  Object.entries(params)
    .map(([name, value]) => (value === true ? name : `${name} ${Array.isArray(value) ? value.join(", ") : value}`))
    .join("; ");

const stateOf = ({ in_force, lift }: RestrictionResponse): string =>
  in_force ? "in force" : lift === null ? "expired" : "lifted";

const endOf = ({ expires_at }: RestrictionResponse): string =>
  expires_at === null ? "when lifted" : shortTime(Date.parse(expires_at));

const shown = (one: RestrictionResponse): string =>
  card({
    id: one.id,
    agent_id: one.agent_id,
    kind: one.kind,
    params: paramsOf(one) || null,
    state: stateOf(one),
    reason: one.reason,
    "expires (UTC)": endOf(one),
  });

export const listRestrictions: RunVerb = async (invocation) => {
  const { args, out } = invocation;
  const all = await reading(invocation, async (session) =>
    serviceOf(session).list("operator", (await agentNamed(session, args)).id),
  );
  const wanted = args.on("all") ? all : all.filter(({ in_force }) => in_force);
  const rows = wanted.map((one) => [
    ...[one.id, one.kind, paramsOf(one), stateOf(one), one.source],
    endOf(one),
    one.contained ? "everywhere" : one.receipts.map(({ point }) => point).join(", ") || "nowhere yet",
    one.reason,
  ]);
  const headings = ["ID", "KIND", "PARAMS", "STATE", "SOURCE", "EXPIRES (UTC)", "HOLDS", "REASON"];
  await out.result(wanted, rows.length === 0 ? "No restriction in force." : out.table(headings, rows));
  return EXIT.ok;
};

export const setRestriction: RunVerb = async (invocation) => {
  const { args, out } = invocation;
  const scope = scopeIn(args);
  const lasts = args.text("expires-in");
  const expires_at = lasts === undefined ? null : systemClock() + parseDuration(lasts, "expires-in");
  const reason = args.need("reason");
  const made = await changing(invocation, async (session) =>
    serviceOf(session).set("operator", (await agentNamed(session, args)).id, { ...scope, reason, expires_at }),
  );
  await out.result(made, shown(made));
  return EXIT.ok;
};

export const liftRestriction: RunVerb = async (invocation) => {
  const { args, out } = invocation;
  const reason = args.text("reason") ?? "lifted on the command line";
  const lifted = await changing(invocation, async (session) =>
    serviceOf(session).lift("operator", (await agentNamed(session, args)).id, args.needOperand(1), reason),
  );
  await out.result(lifted, shown(lifted));
  return EXIT.ok;
};
