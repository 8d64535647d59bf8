import { useParams } from "@tanstack/react-router";
import { Pencil } from "lucide-react";
import { useState } from "react";
import { useGet } from "#dashboard/api/hooks";
import { Button } from "#dashboard/parts/button";
import { StateChip } from "#dashboard/parts/chip";
import { Page, TextLink } from "#dashboard/parts/page";
import { Await } from "#dashboard/parts/states";
import { ReviewCase } from "./review-case";
import { ReviewComments } from "./review-comments";
import { ReviewForm } from "./review-form";
import { TierChip } from "./review-tier";
import type { Review } from "./review-type";

const ReviewScreen = () => {
  const { id = "" } = useParams({ strict: false });
  const review = useGet("GET /api/reviews/:id", { params: { id } });
  return <Await query={review}>{(data) => <Whole key={data.id} review={data} />}</Await>;
};

const HINTS: Readonly<Record<string, string>> = {
  draft: "Answer the nine sections; everything is saved as you write. Submit it when nothing is missing.",
  changes_requested: "A reviewer asks for changes: read the notes below, change the answers, submit again.",
  submitted: "It waits for a reviewer.",
  in_review: "A reviewer looks at it.",
  approved: "It was approved: its answers are the agent's profile.",
  rejected: "It was rejected. The agent's owner can start another one.",
  withdrawn: "It was withdrawn. The agent's owner can start another one.",
};

const Whole = ({ review }: { readonly review: Review }) => {
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
        mayEdit &&
        !isDraft && (
          <Button icon={Pencil} onClick={() => setEditing(!editing)}>
            {editing ? "Leave the answers as they are" : "Change the answers"}
          </Button>
        )
      }
    >
      {editing && !isDraft && (
        <p className="rounded-md bg-warn-soft px-3 py-2 text-warn">
          Submitting changed answers starts it anew: approvals given so far count for nothing.
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
