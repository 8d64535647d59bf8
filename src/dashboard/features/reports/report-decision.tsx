import { useState } from "react";
import { type BulkDecision, REFRESHED } from "#dashboard/features/inbox/inbox-kinds";
import { usePlace } from "#dashboard/features/inbox/inbox-place";
import { Button } from "#dashboard/parts/button";
import { Card } from "#dashboard/parts/card";
import { Chip } from "#dashboard/parts/chip";
import { FormDialog } from "#dashboard/parts/dialog";
import { Checkbox, TextArea } from "#dashboard/parts/field";
import { useAct } from "#dashboard/parts/hooks";
import { countOf } from "#dashboard/parts/numbers";
import { TextLink } from "#dashboard/parts/page";
import { Time } from "#dashboard/parts/time";
import { useToasts } from "#dashboard/parts/toast";
import { DECIDABLE, followsOf, type OpenReport, type ReportVerdict, wordsOf } from "./report-words";

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
            <Button
              key={one}
              className="justify-start"
              data-shortcut={keyOf(direction, one)}
              aria-keyshortcuts={keyOf(direction, one)}
              onClick={() => setVerdict(one)}
            >
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

/** As in the inbox: whether the reporter is right. */
const keyOf = (direction: OpenReport["direction"], verdict: ReportVerdict): string => {
  if (verdict === "inconclusive") return "i";
  return (verdict === "false_positive") === (direction === "false_positive") ? "a" : "d";
};

/** Beside what the model has said: whether one agrees with it. */
const noteOf = (verdict: ReportVerdict, said: ReportVerdict | null): string => {
  if (verdict === "inconclusive") return "close the report";
  if (said === null || said === "inconclusive") return "";
  return said === verdict ? "confirms the model" : "overturns the model";
};

const DECISIONS: Readonly<Record<string, BulkDecision>> = { a: "approve", d: "deny" };

const DecideDialog = ({
  report: { id, direction, deciding, created_at },
  verdict,
  onClose,
}: {
  readonly report: OpenReport;
  readonly verdict: ReportVerdict;
  readonly onClose: () => void;
}) => {
  const [comment, setComment] = useState("");
  const [withLike, setWithLike] = useState(false);
  const toasts = useToasts();
  const item = usePlace({ kind: "report", id, since: created_at }).data?.item ?? null;
  const like = item?.like ?? [];
  const many = useAct("POST /api/inbox/decisions", {
    refresh: REFRESHED,
    close: onClose,
    onDone: ({ done, failed }) =>
      toasts.say(
        failed > 0 ? "bad" : "ok",
        failed > 0
          ? `${countOf(done, "report")} closed, ${failed} could not be.`
          : `${countOf(done, "report")} closed.`,
      ),
  });
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
      act={withLike ? many : decide}
      isReady
      disabled={deciding.alone && said === ""}
      onSubmit={() => {
        const more = said && { comment: said };
        if (!withLike) return decide.mutate({ params: { id }, body: { verdict, ...more } });
        const items = [id, ...like].map((one) => ({ kind: "report" as const, id: one }));
        many.mutate({ body: { items, decision: DECISIONS[keyOf(direction, verdict)] ?? "inconclusive", ...more } });
      }}
    >
      <TextArea
        label="Comment"
        hint="Recorded in the audit log."
        required={deciding.alone}
        maxLength={2_000}
        value={comment}
        onValue={setComment}
      />
      {like.length > 0 && (
        <Checkbox
          label={`Decide ${countOf(like.length, "like report")} as well`}
          hint="Of the same agent and finding types, in like texts. Each is decided and recorded by itself."
          checked={withLike}
          onValue={setWithLike}
        />
      )}
    </FormDialog>
  );
};
