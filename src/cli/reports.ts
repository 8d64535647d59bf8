import { commandParts } from "#app";
import { GuardError } from "#core/errors";
import { followedUpLater } from "#features/report-review/follow-up";
import type { ReportDecision, ReportView } from "#features/report-review/schema";
import type { ReportReviewActor, ReportReviewService } from "#features/report-review/service";
import { textScanOf } from "#guard/text-scan";
import { CLI_ACTOR } from "#model/change";
import { DIRECTIONS, type DisputeVerdict, REPORT_STATUSES, VERDICTS } from "#model/report";
import { EXIT, usage } from "./exit";
import { shortTime } from "./moments";
import { allPages, card } from "./output";
import { type CliSession, changing, reading } from "./session";
import { plain } from "./table";
import type { Invocation, RunVerb } from "./verb";

const serviceOf = ({ inputs, store, parts }: CliSession): ReportReviewService => {
  const { writeRecord, now, ids } = parts;
  // Made by the service that runs, or the next one: it knows the rules in force.
  const decided = followedUpLater({ jobs: store.jobs, now, ids });
  const reportScan = textScanOf(null, "reports");
  return commandParts(inputs, { decided, reportScan, writeRecord }).reportReviewService;
};

/** The user named by `--as`, under the same rules as under `/api`. */
const actingAs = async ({ access }: CliSession, { args }: Invocation): Promise<ReportReviewActor> => {
  const user = await access.userByEmail(args.need("as"));
  return { user, by: { ...CLI_ACTOR, user_id: user.id } };
};

/** One of the values a flag takes. */
const oneOf = <T extends string>(flag: string, text: string | undefined, values: readonly T[]): T | undefined => {
  const value = values.find((one) => one === text);
  if (text !== undefined && value === undefined) throw usage(`--${flag}: one of ${values.join(", ")}`);
  return value;
};

export const listReports: RunVerb = async (invocation) => {
  const { args, out } = invocation;
  const status = oneOf("status", args.text("status"), REPORT_STATUSES);
  const direction = oneOf("direction", args.text("direction"), DIRECTIONS);
  const reports = await reading(invocation, (session) =>
    allPages((window) => serviceOf(session).all({ direction, statuses: status && [status] }, window)),
  );
  const rows = reports.map((one) => [
    ...[one.id, one.direction, one.status, one.flag_types.join(","), one.llm_verdict ?? "-", one.decision ?? "-"],
    shortTime(Date.parse(one.created_at)),
  ]);
  await out.result(
    reports,
    out.table(["ID", "DIRECTION", "STATUS", "FLAG TYPES", "MODEL", "DECISION", "CREATED (UTC)"], rows),
  );
  return EXIT.ok;
};

const fieldsOf = (report: ReportView): Readonly<Record<string, string | null>> => ({
  id: report.id,
  direction: report.direction,
  status: report.status,
  flag_types: report.flag_types.join(", "),
  reason: report.user_reason,
  model: report.llm_verdict === null ? null : `${report.llm_verdict}, ${report.llm_confidence}`,
  model_reasoning: report.llm_reasoning,
  decision: report.decision,
  suggestion: report.tuning_suggestion_id,
});

export const showReport: RunVerb = async (invocation) => {
  const { args, out } = invocation;
  const report = await changing(invocation, async (session) =>
    serviceOf(session).open(await actingAs(session, invocation), args.needOperand(0)),
  );
  const texts = (report.content ?? []).map(({ origin, text }) => `\n${origin}:\n${plainLines(text)}`);
  await out.result(report, [card(fieldsOf(report)), ...texts].join("\n"));
  return EXIT.ok;
};

/** Somebody else's text: line by line, so that nothing in it does anything to the terminal. */
const plainLines = (text: string): string => text.split("\n").map(plain).join("\n");

type Outcome = {
  readonly id: string;
  readonly verdict: DisputeVerdict;
  readonly is_decided: boolean;
  /** Why it was not, or would not be. */
  readonly error: string | null;
};

/** The reports that are named, each once, or those that are like one. */
const chosenIn = async ({ args }: Invocation, service: ReportReviewService): Promise<readonly string[]> => {
  const [ids, like] = [args.allOperands, args.text("like")];
  if ((ids.length === 0) === (like === undefined)) throw usage("name reports by ID, or one of a group by --like ID");
  if (like === undefined) return [...new Set(ids.map((id) => id.toLowerCase()))];
  const found = await service.like(like);
  if (found.length === 0) throw new GuardError("not_found", "There is no such report that waits for a decision");
  return found;
};

const refusalOf = async (work: () => Promise<unknown>): Promise<string | null> => {
  try {
    await work();
    return null;
  } catch (error) {
    if (error instanceof GuardError) return error.message;
    throw error;
  }
};

/** Each by itself, as in the inbox: what is refused of one does not hold up the others. */
const decideSeveral = async (invocation: Invocation, decision: ReportDecision): Promise<number> => {
  const { args, out } = invocation;
  const isTrial = args.on("dry-run");
  const decided = async (session: CliSession): Promise<Outcome[]> => {
    const acting = await actingAs(session, invocation);
    const service = serviceOf(session);
    const outcomes: Outcome[] = [];
    for (const id of await chosenIn(invocation, service)) {
      const error = await refusalOf(() =>
        isTrial ? service.decidable(acting, id, decision) : service.decideOneOfMany(acting, id, decision),
      );
      outcomes.push({ id, verdict: decision.verdict, is_decided: error === null && !isTrial, error });
    }
    return outcomes;
  };
  const outcomes = await (isTrial ? reading : changing)(invocation, decided);
  const word = isTrial ? "would be decided" : "decided";
  const rows = outcomes.map(({ id, verdict, error }) => [id, verdict, error ?? word]);
  await out.result(outcomes, out.table(["ID", "VERDICT", "RESULT"], rows));
  return outcomes.every(({ error }) => error === null) ? EXIT.ok : EXIT.failure;
};

export const decideReport: RunVerb = async (invocation) => {
  const { args, out } = invocation;
  const verdict = oneOf("verdict", args.need("verdict"), VERDICTS);
  if (verdict === undefined) throw usage("--verdict is required");
  const comment = args.text("reason");
  const decision = { verdict, ...(comment !== undefined && { comment }) };
  const isOne = args.allOperands.length === 1 && args.text("like") === undefined && !args.on("dry-run");
  if (!isOne) return decideSeveral(invocation, decision);
  const decided = await changing(invocation, async (session) =>
    serviceOf(session).decide(await actingAs(session, invocation), args.needOperand(0), decision),
  );
  await out.result(decided, card(fieldsOf(decided)));
  return EXIT.ok;
};
