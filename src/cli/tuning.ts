import { suggestionMaking, tuningDesks } from "#assembly/tuning";
import { CLI_ACTOR } from "#core/change";
import type { Acting } from "#engine/tuning/approval-desk";
import { PersonTuningService } from "#modules/tuning/person-service";
import { systemClock } from "#platform/clock";
import { systemIds } from "#platform/ids";
import { allPages } from "./all-pages";
import { baselineOf } from "./baseline";
import { EXIT, usage } from "./exit";
import { governorOf } from "./governor";
import { shortTime } from "./moments";
import { card, table } from "./output";
import { changing, reading, type Session } from "./session";
import type { Invocation, Run } from "./verb";

type Shown = Awaited<ReturnType<PersonTuningService["approve"]>>;

/** Works beside a running service, which takes in what is changed here. */
const tuningOf = async (invocation: Invocation, session: Session): Promise<PersonTuningService> => {
  const { store, contentHash, unseal } = session;
  const baseline = await baselineOf(invocation.config(), store.policies);
  const governor = await governorOf(invocation, session, baseline);
  const deps = { store, keeping: { hash: await contentHash() }, clock: systemClock, ids: systemIds };
  const sync = async () => governor.take(await store.changes.changesSince(0));
  const desks = tuningDesks(deps, { ...suggestionMaking({ ...deps, unseal }, governor), governor, sync });
  return new PersonTuningService({ ...desks, agents: store.agents, users: store.users, now: systemClock });
};

/** Whoever is named by `--as`: the same rules hold for them as under `/api`. */
const actingAs = async ({ access }: Session, { args }: Invocation): Promise<Acting> => {
  const user = await access.userByEmail(args.need("as"));
  return { user, by: { ...CLI_ACTOR, user_id: user.id } };
};

const OPERATOR = { user: null, by: CLI_ACTOR };

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
    "asked for by": it.approval?.requested_by ?? null,
    decisions: it.approval?.approvals.map(({ by, decision }) => `${decision}, ${by}`).join("; ") || null,
    "good until": it.expires_at,
    rule: it.rule_id,
  });

const listSuggestions: Run = async (invocation) => {
  const status = invocation.args.text("status");
  const found = await reading(invocation, async (session) =>
    allPages(async (window) => (await tuningOf(invocation, session)).list(null, { status }, window)),
  );
  const rows = found.map((it) => [
    ...[it.id, it.status, it.effect, it.kind, it.match.types.join(", ")],
    ...[it.agent_id ?? "-", shortTime(Date.parse(it.created_at))],
  ]);
  const headings = ["ID", "STATUS", "EFFECT", "KIND", "ABOUT", "AGENT", "CREATED"];
  await invocation.out.result(found, rows.length === 0 ? "Nothing is suggested." : table(headings, rows));
  return EXIT.ok;
};

const listRules: Run = async (invocation) => {
  const found = await reading(invocation, (session) =>
    allPages(async (window) => (await tuningOf(invocation, session)).rules(null, {}, window)),
  );
  const rows = found.map((it) => [
    ...[it.id, it.effect, it.kind, it.match.types.join(", "), it.agent_id ?? "-", it.mode, String(it.hits)],
    it.expires_at ?? "never",
  ]);
  const headings = ["ID", "EFFECT", "KIND", "ABOUT", "AGENT", "MODE", "HITS", "EXPIRES"];
  await invocation.out.result(found, rows.length === 0 ? "No rule is in force." : table(headings, rows));
  return EXIT.ok;
};

export const listTuning: Run = (invocation) =>
  invocation.args.on("rules") ? listRules(invocation) : listSuggestions(invocation);

export const showTuning: Run = async (invocation) => {
  const id = invocation.args.needOperand(0);
  const found = await reading(invocation, async (session) => (await tuningOf(invocation, session)).read(null, id));
  await invocation.out.result(found, suggestionCard(found));
  return EXIT.ok;
};

const deciding = async (
  invocation: Invocation,
  work: (tuning: PersonTuningService, acting: Acting, id: string) => Promise<Shown>,
): Promise<number> => {
  const decided = await changing(invocation, async (session) =>
    work(await tuningOf(invocation, session), await actingAs(session, invocation), invocation.args.needOperand(0)),
  );
  await invocation.out.result(decided, suggestionCard(decided));
  return EXIT.ok;
};

const reasonIn = ({ args }: Invocation): string | null => args.text("reason")?.trim() || null;

export const approveTuning: Run = (invocation) =>
  deciding(invocation, (tuning, acting, id) =>
    tuning.approve(acting, id, { comment: reasonIn(invocation), content_hash: null }),
  );

export const denyTuning: Run = (invocation) =>
  deciding(invocation, (tuning, acting, id) =>
    tuning.deny(acting, id, { comment: reasonIn(invocation), content_hash: null }),
  );

export const rejectTuning: Run = (invocation) =>
  deciding(invocation, (tuning, acting, id) =>
    tuning.reject(acting, id, reasonIn(invocation) ?? "rejected on the command line", null),
  );

export const applyTuning: Run = async (invocation) => {
  const { args, out } = invocation;
  const applying = { mode: modeIn(args.text("mode")), expires_in_days: daysIn(args.text("expires-in-days")) };
  const applied = await changing(invocation, async (session) =>
    (await tuningOf(invocation, session)).apply(OPERATOR, args.needOperand(0), applying),
  );
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

export const revertTuning: Run = async (invocation) => {
  const { args, out } = invocation;
  const { status, body } = await changing(invocation, async (session) =>
    (await tuningOf(invocation, session)).revert(OPERATOR, args.needOperand(0)),
  );
  if (status === 202) await out.note("note: the rule makes things stricter, so ending it takes an approval");
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
