import { CLI_ACTOR } from "#core/change";
import { DIRECTIONS, REPORT_STATUSES, type Report, VERDICTS } from "#core/report";
import { maskOf } from "#core/reviewer/mask";
import { DETECTORS } from "#core/scan/detectors/index";
import { SealedTexts } from "#engine/sealed-texts";
import type { DeskReport } from "#modules/report-desk/schema";
import { type Acting, ReportDesk } from "#modules/report-desk/service";
import { systemClock } from "#platform/clock";
import { systemIds } from "#platform/ids";
import { allPages } from "./all-pages";
import { EXIT, usage } from "./exit";
import { shortTime } from "./moments";
import { card, plain, table } from "./output";
import { changing, reading, type Session } from "./session";
import type { Invocation, Run } from "./verb";

const deskOf = ({ store, unseal }: Session): ReportDesk => {
  const { reports, users, agents, jobs } = store;
  // Made by the service that runs, or the next one: it knows the rules in force.
  const followUp = async (report: Report): Promise<Report> => {
    const [id, now] = [systemIds(), systemClock()];
    await jobs.add({ id, kind: "report.review", ref: report.id, run_at: now, attempts: 0 });
    return report;
  };
  return new ReportDesk({
    ...{ reports, users, agents, followUp, now: systemClock, ids: systemIds },
    content: new SealedTexts(unseal),
    mask: maskOf(DETECTORS, ["secret", "pii"]),
    writeRecord: (line) => store.audit.append(line),
  });
};

/** Whoever is named by `--as`: the same rules hold for them as under `/api`. */
const actingAs = async ({ access }: Session, { args }: Invocation): Promise<Acting> => {
  const user = await access.userByEmail(args.need("as"));
  return { user, by: { ...CLI_ACTOR, user_id: user.id } };
};

/** One of the values a flag takes. */
const oneOf = <T extends string>(flag: string, text: string | undefined, values: readonly T[]): T | undefined => {
  const value = values.find((one) => one === text);
  if (text !== undefined && value === undefined) throw usage(`--${flag}: one of ${values.join(", ")}`);
  return value;
};

export const listReports: Run = async (invocation) => {
  const { args, out } = invocation;
  const status = oneOf("status", args.text("status"), REPORT_STATUSES);
  const direction = oneOf("direction", args.text("direction"), DIRECTIONS);
  const reports = await reading(invocation, (session) =>
    allPages((window) => deskOf(session).all({ direction, statuses: status && [status] }, window)),
  );
  const rows = reports.map((one) => [
    ...[one.id, one.direction, one.status, one.flag_types.join(","), one.llm_verdict ?? "-", one.decision ?? "-"],
    shortTime(Date.parse(one.created_at)),
  ]);
  await out.result(reports, table(["ID", "DIRECTION", "STATUS", "FLAG TYPES", "MODEL", "DECISION", "CREATED"], rows));
  return EXIT.ok;
};

const fieldsOf = (report: DeskReport): Readonly<Record<string, string | null>> => ({
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

export const showReport: Run = async (invocation) => {
  const { args, out } = invocation;
  const report = await changing(invocation, async (session) =>
    deskOf(session).open(await actingAs(session, invocation), args.needOperand(0)),
  );
  const texts = (report.content ?? []).map(({ origin, text }) => `\n${origin}:\n${plainLines(text)}`);
  await out.result(report, [card(fieldsOf(report)), ...texts].join("\n"));
  return EXIT.ok;
};

/** Somebody else's text: line by line, so that nothing in it does anything to the terminal. */
const plainLines = (text: string): string => text.split("\n").map(plain).join("\n");

export const decideReport: Run = async (invocation) => {
  const { args, out } = invocation;
  const verdict = oneOf("verdict", args.need("verdict"), VERDICTS);
  if (verdict === undefined) throw usage("--verdict is needed");
  const comment = args.text("reason");
  const decided = await changing(invocation, async (session) => {
    const acting = await actingAs(session, invocation);
    const decision = { verdict, ...(comment !== undefined && { comment }) };
    return deskOf(session).decide(acting, args.needOperand(0), decision);
  });
  await out.result(decided, card(fieldsOf(decided)));
  return EXIT.ok;
};
