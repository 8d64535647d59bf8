import { useState } from "react";
import { Button } from "#dashboard/parts/button";
import { Card } from "#dashboard/parts/card";
import { Confirm } from "#dashboard/parts/dialog";
import { useAct } from "#dashboard/parts/hooks";
import { Time } from "#dashboard/parts/time";
import { Differences, type Policy } from "./policy-words";

type Proposal = Policy["waiting"][number];

const REFRESH = ["/api/policy", "/api/inbox", "/api/overview"] as const;

/** A looser policy that somebody asked for; somebody else decides. */
export const ProposalCard = ({ proposal }: { readonly proposal: Proposal }) => {
  const [doing, setDoing] = useState<"approve" | "reject" | null>(null);
  const close = () => setDoing(null);
  const { may_decide, may_withdraw, proposed_by, proposed_at, eligible } = proposal;
  return (
    <Card
      title="Pending approval: looser policy"
      hint={
        <>
          Requested by {proposed_by} <Time at={proposed_at} />. Eligible: {eligible.join(", ") || "nobody"}.
        </>
      }
      actions={
        <>
          {may_decide && (
            <Button kind="primary" onClick={() => setDoing("approve")}>
              Approve…
            </Button>
          )}
          {(may_decide || may_withdraw) && (
            <Button onClick={() => setDoing("reject")}>{may_withdraw ? "Withdraw…" : "Reject…"}</Button>
          )}
        </>
      }
    >
      <p className="mb-3">{proposal.reason}</p>
      <Differences of={proposal.differences} />
      {doing === "approve" && <Approve id={proposal.id} onClose={close} />}
      {doing === "reject" && <Reject id={proposal.id} word={may_withdraw ? "Withdraw" : "Reject"} onClose={close} />}
    </Card>
  );
};

const Approve = ({ id, onClose }: { readonly id: string; readonly onClose: () => void }) => {
  const approve = useAct("POST /api/policy/proposals/:id/approve", {
    refresh: REFRESH,
    done: "Policy in force.",
    close: onClose,
  });
  return (
    <Confirm
      onClose={onClose}
      title="Approve this policy?"
      word="approve"
      submit="Approve"
      act={approve}
      onConfirm={() => approve.mutate({ params: { id }, body: {} })}
    >
      In force for every call from the next one on.
    </Confirm>
  );
};

const Reject = ({
  id,
  word,
  onClose,
}: {
  readonly id: string;
  readonly word: string;
  readonly onClose: () => void;
}) => {
  const reject = useAct("POST /api/policy/proposals/:id/reject", {
    refresh: REFRESH,
    done: "Policy unchanged.",
    close: onClose,
  });
  return (
    <Confirm
      onClose={onClose}
      title={`${word} this policy?`}
      reason
      submit={word}
      act={reject}
      onConfirm={(comment) => reject.mutate({ params: { id }, body: { comment } })}
    >
      The policy remains unchanged.
    </Confirm>
  );
};
