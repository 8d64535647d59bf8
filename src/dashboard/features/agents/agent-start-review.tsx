import { useNavigate } from "@tanstack/react-router";
import { ClipboardCheck } from "lucide-react";
import { Button } from "#dashboard/parts/button";
import { type ItemOf, useAct } from "#dashboard/parts/hooks";

const OPEN: readonly string[] = ["draft", "submitted", "in_review", "changes_requested"];

/** The review of an agent that is under way; an agent has one at most. */
export const openReviewIn = (reviews: readonly ItemOf<"GET /api/agents/:id/reviews">[]) =>
  reviews.find(({ status }) => OPEN.includes(status));

/** Begins a review of the agent and opens it. */
export const StartReview = ({ agentId }: { readonly agentId: string }) => {
  const navigate = useNavigate();
  const begin = useAct("POST /api/agents/:id/reviews", {
    refresh: ["/api/agents", "/api/reviews"],
    onDone: ({ id }) => void navigate({ to: `/reviews/${id}` }),
  });
  return (
    <Button
      kind="primary"
      icon={ClipboardCheck}
      busy={begin.isPending}
      onClick={() => begin.mutate({ params: { id: agentId }, body: {} })}
    >
      Start review
    </Button>
  );
};
