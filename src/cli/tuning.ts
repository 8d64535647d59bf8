import { commandParts } from "#app";
import type { NamedTuning } from "#features/tuning/named";
import { statesIn } from "#features/tuning/schema";
import type { TuningRequester, TuningService } from "#features/tuning/service";
import { textScanOf } from "#guard/text-scan";
import { CLI_ACTOR } from "#model/change";
import type { Suggestion } from "#policy/tuning/suggestion";
import { EXIT, usage } from "./exit";
import { shortTime } from "./moments";
import { allPages, card } from "./output";
import { baselineOf, policyResolverOf } from "./policy";
import { type CliSession, changing, reading } from "./session";
import type { Invocation, RunVerb } from "./verb";

type Shown = Awaited<ReturnType<NamedTuning["suggestion"]>>;
type Tuning = { readonly tuning: TuningService; readonly named: NamedTuning };

/** Works beside a running service, which takes in what is changed here. */
const tuningOf = async (invocation: Invocation, session: CliSession): Promise<Tuning> => {
  const { inputs, store, contentHash } = session;
  const baseline = await baselineOf(invocation.config(), store.policies);
  const policyResolver = await policyResolverOf(invocation, session, baseline);
  const retentionOptions = {
    keepBlockedHours: invocation.config().guard.keep_blocked_hours,
    hash: await contentHash(),
  };
  const parts = commandParts(
    { ...inputs, retentionOptions },
    {
      policyResolver,
      textScan: textScanOf(null, "tuning"),
      onChanged: async () => policyResolver.apply(await store.changes.changesSince(0)),
    },
  );
  return { tuning: parts.tuningService, named: parts.namedTuning };
};

type NamedRequester = Extract<TuningRequester, { kind: "person" }>;

/** The user named by `--as`, under the same rules as under `/api`. */
const actingAs = async ({ access }: CliSession, { args }: Invocation): Promise<NamedRequester> => {
  const user = await access.userByEmail(args.need("as"));
  return { kind: "person", user, by: { ...CLI_ACTOR, user_id: user.id } };
};

const OPERATOR: TuningRequester = { kind: "operator", by: CLI_ACTOR };

const suggestionCard = (it: Shown): string =>
  card({
    id: it.id,
    status: it.status,
    effect: `${it.effect}, ${it.kind}`,
    about: it.match.types.join(", "),
    match: JSON.stringify(it.match),
    change: JSON.stringify(it.change),
    why: it.rationale,
    impact: `${it.impact.would_change} of ${it.impact.decisions} decisions in ${it.impact.window_days} days, ${it.impact.would_release_confirmed} of them confirmed`,
    "requested by": it.approval?.requested_by ?? null,
    decisions: it.approval?.approvals.map(({ by, decision }) => `${decision}, ${by}`).join("; ") || null,
    "approved until": it.expires_at,
    rule: it.rule_id,
  });

const listSuggestions: RunVerb = async (invocation) => {
  const status = invocation.args.text("status");
  const found = await reading(invocation, async (session) => {
    const { tuning, named } = await tuningOf(invocation, session);
    const wanted = { states: statesIn(status) };
    return allPages(async (window) => named.suggestions(await tuning.list(OPERATOR, wanted, window)));
  });
  const rows = found.map((it) => [
    ...[it.id, it.status, it.effect, it.kind, it.match.types.join(", ")],
    ...[it.agent_id ?? "-", shortTime(Date.parse(it.created_at))],
  ]);
  const headings = ["ID", "STATUS", "EFFECT", "KIND", "ABOUT", "AGENT", "CREATED (UTC)"];
  await invocation.out.result(
    found,
    rows.length === 0 ? "No tuning suggestions." : invocation.out.table(headings, rows),
  );
  return EXIT.ok;
};

const listRules: RunVerb = async (invocation) => {
  const found = await reading(invocation, async (session) => {
    const { tuning, named } = await tuningOf(invocation, session);
    return allPages(async (window) => named.rules(OPERATOR, await tuning.rules(OPERATOR, undefined, window)));
  });
  const rows = found.map((it) => [
    ...[it.id, it.effect, it.kind, it.match.types.join(", "), it.agent_id ?? "-", it.mode, String(it.hits)],
    shortTime(it.expires_at === null ? null : Date.parse(it.expires_at)),
  ]);
  const headings = ["ID", "EFFECT", "KIND", "ABOUT", "AGENT", "MODE", "HITS", "EXPIRES (UTC)"];
  await invocation.out.result(
    found,
    rows.length === 0 ? "No tuning rules in force." : invocation.out.table(headings, rows),
  );
  return EXIT.ok;
};

export const listTuning: RunVerb = (invocation) =>
  invocation.args.on("rules") ? listRules(invocation) : listSuggestions(invocation);

export const showTuning: RunVerb = async (invocation) => {
  const id = invocation.args.needOperand(0);
  const found = await reading(invocation, async (session) => {
    const { tuning, named } = await tuningOf(invocation, session);
    return named.details(await tuning.details(OPERATOR, id));
  });
  await invocation.out.result(found, suggestionCard(found));
  return EXIT.ok;
};

const deciding = async (
  invocation: Invocation,
  work: (tuning: TuningService, acting: NamedRequester, id: string) => Promise<Suggestion>,
): Promise<number> => {
  const decided = await changing(invocation, async (session) => {
    const { tuning, named } = await tuningOf(invocation, session);
    return named.suggestion(await work(tuning, await actingAs(session, invocation), invocation.args.needOperand(0)));
  });
  await invocation.out.result(decided, suggestionCard(decided));
  return EXIT.ok;
};

const reasonIn = ({ args }: Invocation): string | null => args.text("reason")?.trim() || null;

export const approveTuning: RunVerb = (invocation) =>
  deciding(invocation, (tuning, acting, id) =>
    tuning.approve(acting, id, { comment: reasonIn(invocation), content_hash: null }),
  );

export const denyTuning: RunVerb = (invocation) =>
  deciding(invocation, (tuning, acting, id) =>
    tuning.deny(acting, id, { comment: reasonIn(invocation), content_hash: null }),
  );

export const rejectTuning: RunVerb = (invocation) =>
  deciding(invocation, (tuning, acting, id) =>
    tuning.reject(acting, id, { reason: reasonIn(invocation) ?? "rejected on the command line" }),
  );

export const applyTuning: RunVerb = async (invocation) => {
  const { args, out } = invocation;
  const applying = { mode: modeIn(args.text("mode")), expires_in_days: daysIn(args.text("expires-in-days")) };
  const applied = await changing(invocation, async (session) => {
    const { tuning, named } = await tuningOf(invocation, session);
    return named.applied(await tuning.apply(OPERATOR, args.needOperand(0), applying));
  });
  const { rule, policy_revision } = applied;
  await out.result(
    applied,
    card({
      rule: rule.id,
      mode: rule.mode,
      expires: rule.expires_at ?? "never",
      policy_revision: `${policy_revision}`,
    }),
  );
  return EXIT.ok;
};

export const revertTuning: RunVerb = async (invocation) => {
  const { args, out } = invocation;
  const { status, body } = await changing(invocation, async (session) => {
    const { tuning, named } = await tuningOf(invocation, session);
    return named.outcome(await tuning.revert(OPERATOR, args.needOperand(0)));
  });
  if (status === 202) await out.note("note: the rule tightens, so its rollback needs an approval");
  await out.result(body, card({ id: body.id, status: body.status }));
  return EXIT.ok;
};

const modeIn = (text: string | undefined): "monitor" | "enforce" | undefined => {
  if (text === undefined || text === "monitor" || text === "enforce") return text;
  throw usage("--mode: monitor or enforce");
};

const daysIn = (text: string | undefined): number | undefined => {
  if (text === undefined) return undefined;
  const days = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (days >= 1 && days <= 365) return days;
  throw usage("--expires-in-days: a whole number from 1 to 365");
};
