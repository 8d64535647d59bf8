import { Check, CircleDashed, Plus } from "lucide-react";
import { type ReactNode, useState } from "react";
import { NewKey } from "#dashboard/features/keys/key-new";
import { Button } from "#dashboard/parts/button";
import { Card } from "#dashboard/parts/card";
import { cx } from "#dashboard/parts/class-names";
import { useGet } from "#dashboard/parts/hooks";
import { countOf } from "#dashboard/parts/numbers";
import { TextLink } from "#dashboard/parts/page";
import { useAnswersFor } from "./agent-actions";
import type { AgentData } from "./agent-frame";
import { useAgentKeys } from "./agent-keys";
import { openReviewIn, StartReview } from "./agent-start-review";

type Step = {
  readonly name: string;
  readonly isDone: boolean;
  /** Not every agent needs it: it is offered, and never the next step. */
  readonly isOptional?: boolean;
  readonly text: ReactNode;
  readonly action?: ReactNode;
};

/** How soon the first call is seen. */
const LOOK_MS = 5_000;

/** What its owner does next: a key, a first call, a review; until all is done. */
export const AgentNextStep = ({ agent }: { readonly agent: AgentData }) => {
  const answers = useAnswersFor(agent);
  return answers && agent.lifecycle !== "retired" ? <Steps agent={agent} /> : null;
};

const Steps = ({ agent }: { readonly agent: AgentData }) => {
  const [adding, setAdding] = useState(false);
  const steps = useSteps(agent, () => setAdding(true));
  const next = steps?.find(({ isDone, isOptional }) => !isDone && !isOptional);
  return (
    <>
      {steps && next && (
        <Card title={`Next step: ${next.name}`} hint="From a registered agent to one with a profile of its own.">
          <ol className="flex flex-col gap-3">
            {steps.map((step) => (
              <StepRow key={step.name} step={step} isNext={step === next} />
            ))}
          </ol>
        </Card>
      )}
      {adding && <NewKey agent={agent.id} onClose={() => setAdding(false)} />}
    </>
  );
};

const StepRow = ({ step, isNext }: { readonly step: Step; readonly isNext: boolean }) => {
  const { name, isDone, isOptional, text, action } = step;
  const Icon = isDone ? Check : CircleDashed;
  return (
    <li aria-current={isNext ? "step" : undefined} className="flex items-start gap-3">
      <Icon className={cx("mt-0.5 size-4 shrink-0", isDone ? "text-ok" : "text-muted")} aria-hidden />
      <div className="min-w-0 flex-1">
        <p className={cx(isNext && "font-medium")}>
          {name}
          <span className="sr-only">{isDone ? ": done" : ": not done"}</span>
          {isOptional && !isDone && <span className="text-muted"> (optional)</span>}
        </p>
        <p className="text-[13px] text-muted">{text}</p>
        {(isNext || isOptional) && !isDone && action && <div className="mt-2">{action}</div>}
      </div>
    </li>
  );
};

/** Null until all is known. */
const useSteps = (agent: AgentData, onNewKey: () => void): readonly Step[] | null => {
  const params = { id: agent.id };
  const keys = useAgentKeys(agent);
  const tools = useGet("GET /api/agents/:id/tools", { params });
  const reviews = useGet("GET /api/agents/:id/reviews", { params });
  const hasCalled = keys.items.some(({ last_used_at }) => last_used_at !== null);
  const calls = useGet(
    "GET /api/calls",
    { query: { agent_id: agent.id, limit: "1" } },
    { ...(hasCalled ? {} : { everyMs: LOOK_MS }) },
  );
  if (keys.isPending || !tools.data || !reviews.data || !calls.data) return null;
  const isCalled = hasCalled || calls.data.data.length > 0;
  const open = openReviewIn(reviews.data.data);
  return [
    {
      name: "Create a key",
      isDone: keys.items.some(({ state }) => state === "active"),
      text: "The agent sends it with every call.",
      action: (
        <Button kind="primary" icon={Plus} onClick={onNewKey}>
          New key
        </Button>
      ),
    },
    {
      name: "Make a call",
      isDone: isCalled,
      text: isCalled ? (
        <TextLink to={`/agents/${agent.id}/activity`}>View its calls</TextLink>
      ) : (
        <>
          Waiting for the first call. Settings of each client are under{" "}
          <TextLink to={`/settings/keys?agent=${agent.id}`}>Settings, Keys</TextLink>.
        </>
      ),
    },
    {
      name: "Assign tools",
      isDone: tools.data.data.length > 0,
      isOptional: true,
      text:
        tools.data.data.length > 0
          ? `Of ${countOf(tools.data.data.length, "tool server")}.`
          : "Its keys can call only tools that are assigned to it.",
      action: <TextLink to={`/agents/${agent.id}/tools`}>Assign tools</TextLink>,
    },
    { name: "Have it reviewed", ...reviewStep(agent, open?.id) },
  ];
};

const WAITING: Readonly<Record<string, string>> = {
  submitted: "Submitted: waiting for a reviewer.",
  in_review: "A reviewer is looking at it.",
  changes_requested: "The reviewer has asked for changes.",
  expiring: "The review ends soon.",
  expired: "The review has expired.",
  revoked: "The profile was revoked: the baseline policy applies.",
};

const reviewStep = (agent: AgentData, openId: string | undefined): Omit<Step, "name"> => {
  const isDone = agent.governed && agent.review_status !== "expired" && agent.review_status !== "revoked";
  return {
    isDone,
    text: isDone
      ? `Profile v${agent.profile_version} is in force.`
      : (WAITING[agent.review_status] ?? "Until a review is approved, the baseline policy applies."),
    action: openId ? (
      <TextLink to={`/reviews/${openId}`}>Open the review</TextLink>
    ) : (
      <StartReview agentId={agent.id} />
    ),
  };
};
