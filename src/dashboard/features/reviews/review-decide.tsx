import { useState } from "react";
import { Button } from "#dashboard/parts/button";
import { Card } from "#dashboard/parts/card";
import { Chip } from "#dashboard/parts/chip";
import { FormDialog } from "#dashboard/parts/dialog";
import { Checkbox, TextArea } from "#dashboard/parts/field";
import { useAct } from "#dashboard/parts/hooks";
import type { ReviewData } from "./review-answers";

const DECISIONS = {
  approve: {
    button: "Approve",
    title: "Approve these answers",
    submit: "Approve",
    done: "Approved.",
    hint: "With the last required approval the answers become the profile of the agent.",
  },
  request_changes: {
    button: "Request changes",
    title: "Request changes",
    submit: "Request changes",
    done: "Changes requested.",
    hint: "The owner edits the answers and submits them again. Describe the required changes.",
  },
  reject: {
    button: "Reject",
    title: "Reject this review",
    submit: "Reject",
    done: "Review rejected.",
    hint: "Ends this review. The approved profile stays in force. A reason is required.",
  },
} as const;
type Decision = keyof typeof DECISIONS;
const ORDER: readonly Decision[] = ["approve", "request_changes", "reject"];

const SHORTCUTS: Readonly<Record<Decision, string | undefined>> = {
  approve: "a",
  request_changes: undefined,
  reject: "d",
};

const CHANGES = ["/api/reviews", "/api/agents", "/api/inbox"] as const;

/** How far it is, and what who looks may do about it. */
export const ReviewDecide = ({ review }: { readonly review: ReviewData }) => {
  const [deciding, setDeciding] = useState<Decision | null>(null);
  const act = { refresh: CHANGES };
  const start = useAct("POST /api/reviews/:id/start", { ...act, done: "Review started." });
  const withdraw = useAct("POST /api/reviews/:id/withdraw", { ...act, done: "Review withdrawn." });
  const { approvals, moves } = review;
  const possible = ORDER.filter((one) => moves.includes(one));
  const waits = review.status === "submitted" || review.status === "in_review";
  if (!waits) return null;
  const missing = Math.max(0, approvals.required - approvals.given.length);
  return (
    <Card
      title="Decision"
      actions={
        <Chip tone={missing === 0 ? "ok" : "wait"}>
          {approvals.given.length} of {approvals.required} approvals
        </Chip>
      }
    >
      <div className="flex flex-col gap-3">
        {approvals.given.length > 0 && <p>Approved by {approvals.given.join(", ")}.</p>}
        {approvals.needs_admin && <p className="text-muted">One approval must come from an administrator.</p>}
        {approvals.eligible.length > 0 && (
          <p className="text-[13px] text-muted">Eligible: {approvals.eligible.join(", ")}.</p>
        )}
        {review.deciding.alone && (
          <p className="rounded-md bg-warn-soft px-3 py-2 text-warn">
            You are involved and decide alone, because nobody else is eligible: a note is required.
          </p>
        )}
        {review.deciding.allowed && !moves.includes("approve") && (
          <p className="text-muted">You have approved. Another approval is required.</p>
        )}
        {!review.deciding.allowed && review.deciding.why && <p className="text-muted">{review.deciding.why}</p>}
        <div className="flex flex-wrap gap-2">
          {possible.map((one) => (
            <Button
              key={one}
              data-shortcut={SHORTCUTS[one]}
              aria-keyshortcuts={SHORTCUTS[one]}
              kind={one === "approve" ? "primary" : one === "reject" ? "danger" : "plain"}
              onClick={() => setDeciding(one)}
            >
              {DECISIONS[one].button}
            </Button>
          ))}
          {moves.includes("start") && (
            <Button busy={start.isPending} onClick={() => start.mutate({ params: { id: review.id } })}>
              Start review
            </Button>
          )}
          {moves.includes("withdraw") && (
            <Button
              kind="quiet"
              busy={withdraw.isPending}
              onClick={() => withdraw.mutate({ params: { id: review.id } })}
            >
              Withdraw
            </Button>
          )}
        </div>
      </div>
      {deciding && <Decide review={review} decision={deciding} onClose={() => setDeciding(null)} />}
    </Card>
  );
};

const Decide = ({
  review: now,
  decision,
  onClose,
}: {
  readonly review: ReviewData;
  readonly decision: Decision;
  readonly onClose: () => void;
}) => {
  // As it was when the dialog was opened: answers that changed since were not read, and the hub refuses them.
  const [review] = useState(now);
  const [comment, setComment] = useState("");
  const [hasRead, setHasRead] = useState(false);
  const { title, submit, hint, done } = DECISIONS[decision];
  const act = useAct("POST /api/reviews/:id/decisions", { refresh: CHANGES, done, close: onClose });
  const isApproval = decision === "approve";
  const needsNote = !isApproval || review.deciding.alone;
  const ready = (!isApproval || hasRead) && (!needsNote || comment.trim() !== "");
  return (
    <FormDialog
      onClose={onClose}
      title={title}
      hint={hint}
      submit={submit}
      danger={decision === "reject"}
      act={act}
      disabled={!ready}
      onSubmit={() =>
        act.mutate({
          params: { id: review.id },
          body: { decision, content_hash: review.content_hash ?? "", comment: comment.trim() || null },
        })
      }
    >
      <TextArea
        label={needsNote ? "Note (required)" : "Note"}
        hint={review.deciding.alone ? "You decide alone: a reason is required." : undefined}
        maxLength={4_000}
        value={comment}
        onValue={setComment}
      />
      {isApproval && (
        <Checkbox label="I have read the answers and the profile" checked={hasRead} onValue={setHasRead} />
      )}
    </FormDialog>
  );
};
