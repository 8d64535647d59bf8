import { useState } from "react";
import { Button } from "#dashboard/parts/button";
import { Card } from "#dashboard/parts/card";
import { Chip } from "#dashboard/parts/chip";
import { FormDialog } from "#dashboard/parts/dialog";
import { TextArea } from "#dashboard/parts/field";
import { useAct } from "#dashboard/parts/hooks";
import { TextLink } from "#dashboard/parts/page";
import { Time } from "#dashboard/parts/time";
import { followsOf, type OpenReport, type ReportVerdict, wordsOf } from "./report-words";

const DECIDABLE: readonly string[] = ["submitted", "reviewing", "reviewed", "needs_human"];
const VERDICTS: readonly ReportVerdict[] = ["false_positive", "true_positive", "inconclusive"];

/** A person's word on a report: it counts more than the model's. */
export const ReportDecisionCard = ({ report }: { readonly report: OpenReport }) => {
  const [verdict, setVerdict] = useState<ReportVerdict | null>(null);
  const { direction, decision, deciding, llm_verdict, status } = report;
  if (decision) {
    return (
      <Card title="Decided">
        <p>
          <Chip tone="ok">{wordsOf(direction, decision)}</Chip>
        </p>
        <p className="mt-2 text-muted">
          By {report.decider}, <Time at={report.decided_at} />.
        </p>
        {report.tuning_suggestion_id && (
          <p className="mt-2">
            <TextLink to={`/tuning/${report.tuning_suggestion_id}`}>View tuning suggestion</TextLink>
          </p>
        )}
      </Card>
    );
  }
  if (!DECIDABLE.includes(status)) return null;
  return (
    <Card
      title="Decide"
      hint={deciding.alone ? "You decide alone on your own report: a comment is required." : undefined}
    >
      {deciding.allowed ? (
        <div className="flex flex-col gap-2">
          {VERDICTS.map((one) => (
            <Button key={one} className="justify-start" onClick={() => setVerdict(one)}>
              {wordsOf(direction, one)}
              <span className="text-muted">{noteOf(one, llm_verdict)}</span>
            </Button>
          ))}
        </div>
      ) : (
        <p className="text-muted">{deciding.why}</p>
      )}
      {verdict && <DecideDialog report={report} verdict={verdict} onClose={() => setVerdict(null)} />}
    </Card>
  );
};

/** Beside what the model has said: whether one agrees with it. */
const noteOf = (verdict: ReportVerdict, said: ReportVerdict | null): string => {
  if (verdict === "inconclusive") return "close the report";
  if (said === null || said === "inconclusive") return "";
  return said === verdict ? "confirms the model" : "overturns the model";
};

const DecideDialog = ({
  report: { id, direction, deciding },
  verdict,
  onClose,
}: {
  readonly report: OpenReport;
  readonly verdict: ReportVerdict;
  readonly onClose: () => void;
}) => {
  const [comment, setComment] = useState("");
  const decide = useAct("POST /api/reports/:id/decision", {
    refresh: ["/api/reports", "/api/tuning", "/api/inbox"],
    done: "Report closed.",
    close: onClose,
  });
  const said = comment.trim();
  return (
    <FormDialog
      onClose={onClose}
      title={wordsOf(direction, verdict)}
      hint={followsOf(direction, verdict)}
      submit="Close report"
      act={decide}
      disabled={deciding.alone && said === ""}
      onSubmit={() => decide.mutate({ params: { id }, body: { verdict, ...(said && { comment: said }) } })}
    >
      <TextArea
        label="Comment"
        hint="Recorded in the audit log."
        required={deciding.alone}
        maxLength={2_000}
        value={comment}
        onValue={setComment}
      />
    </FormDialog>
  );
};
