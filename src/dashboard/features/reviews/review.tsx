import { useParams } from "@tanstack/react-router";
import { Pencil } from "lucide-react";
import { useState } from "react";
import { InboxBar } from "#dashboard/features/inbox/inbox-place";
import { SeenHere } from "#dashboard/features/notices/notices";
import { Button } from "#dashboard/parts/button";
import { StateChip } from "#dashboard/parts/chip";
import { useGet } from "#dashboard/parts/hooks";
import { Page, TextLink } from "#dashboard/parts/page";
import { Await } from "#dashboard/parts/states";
import type { ReviewData } from "./review-answers";
import { ReviewCase } from "./review-case";
import { ReviewComments } from "./review-comments";
import { ReviewForm } from "./review-form";
import { TierChip } from "./review-tier";

const ReviewScreen = () => {
  const { id = "" } = useParams({ strict: false });
  const review = useGet("GET /api/reviews/:id", { params: { id } });
  return <Await query={review}>{(data) => <Whole key={data.id} review={data} />}</Await>;
};

const HINTS: Readonly<Record<string, string>> = {
  draft: "Answer the nine sections. Changes are saved automatically. Submit when complete.",
  changes_requested: "A reviewer requested changes: see the notes, edit the answers, submit again.",
  submitted: "Waiting for a reviewer.",
  in_review: "A reviewer has started.",
  approved: "Approved: the answers are the agent's profile.",
  rejected: "Rejected. The owner of the agent can start another review.",
  withdrawn: "Withdrawn. The owner of the agent can start another review.",
};

const Whole = ({ review }: { readonly review: ReviewData }) => {
  const [editing, setEditing] = useState(false);
  const isDraft = review.status === "draft" || review.status === "changes_requested";
  const mayEdit = review.moves.includes("edit");
  const isForm = mayEdit && (isDraft || editing);
  return (
    <Page
      title={`Review ${review.number} of ${review.agent}`}
      above={
        <>
          <TextLink to="/reviews">Reviews</TextLink> ·{" "}
          <TextLink to={`/agents/${review.agent_id}`}>{review.agent}</TextLink>
        </>
      }
      chips={
        <>
          <StateChip of={review.status} />
          {review.tier && <TierChip tier={review.tier} />}
        </>
      }
      hint={HINTS[review.status]}
      actions={
        <>
          {review.status === "approved" && <TextLink to={`/agents/${review.agent_id}/profile`}>View profile</TextLink>}
          {mayEdit && !isDraft && (
            <Button icon={Pencil} onClick={() => setEditing(!editing)}>
              {editing ? "Cancel editing" : "Edit answers"}
            </Button>
          )}
        </>
      }
    >
      <InboxBar kind="review" id={review.id} since={review.submitted_at} />
      <SeenHere id={review.id} />
      {editing && !isDraft && (
        <p className="rounded-md bg-warn-soft px-3 py-2 text-warn">
          Submitting changed answers restarts the review: approvals given so far are void.
        </p>
      )}
      {isForm ? (
        <>
          <ReviewForm review={review} onLeave={() => setEditing(false)} />
          {(review.comments.length > 0 || review.decisions.length > 0) && <ReviewComments review={review} />}
        </>
      ) : (
        <ReviewCase review={review} />
      )}
    </Page>
  );
};

export default ReviewScreen;
