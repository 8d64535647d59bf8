import { Check, TriangleAlert } from "lucide-react";
import { Card } from "#dashboard/parts/card";
import { Chip } from "#dashboard/parts/chip";
import { countOf } from "#dashboard/parts/numbers";
import type { ReviewData } from "./review-answers";

type Point = {
  readonly what: string;
  /** What is to be asked where it is not so. */
  readonly ask: string;
  readonly isSo: boolean;
};

const READS = ["read"];
const STRANGERS = ["customer", "public"];
const HEAVY = ["high", "critical"];

/** What a reviewer would look up in the answers before deciding. Nothing here decides. */
const checklistOf = ({
  answers,
  observed,
  risk,
}: Pick<ReviewData, "answers" | "observed" | "risk">): readonly Point[] => {
  const { ownership, purpose, data_privacy, tools, oversight, monitoring } = answers;
  const isHeavy = HEAVY.includes(risk?.tier ?? "");
  const acting = (tools?.tools ?? []).filter(({ effect }) => !READS.includes(effect));
  const undeclared = [...observed.models, ...observed.tools].filter(({ declared }) => !declared);
  const keeps = (data_privacy?.store_content ?? "none") !== "none";
  const isHeld =
    oversight?.autonomy !== "act" ||
    acting.every(({ tool, server }) =>
      (tools?.approval_needed ?? []).some((name) => name === tool || name === `${server}__${tool}`),
    );
  const points: readonly (Point | false)[] = [
    {
      what: "Observed models and tools are declared",
      ask: `${undeclared.map(({ name }) => name).join(", ")}: not declared.`,
      isSo: undeclared.length === 0,
    },
    {
      what: "A sponsor is named",
      ask: "No sponsor.",
      isSo: Boolean(ownership?.sponsor),
    },
    acting.length > 0 && {
      what: "Actions need human approval",
      ask: `Acts without approval: ${acting.map(({ tool }) => tool).join(", ")}.`,
      isSo: isHeld,
    },
    STRANGERS.includes(purpose?.audience ?? "") && {
      what: "AI disclosure is defined",
      ask: "No disclosure text.",
      isSo: Boolean(purpose?.disclosure),
    },
    keeps && {
      what: "Retention period is set",
      ask: "No retention days.",
      isSo: Boolean(data_privacy?.retention_days),
    },
    isHeavy && {
      what: "Stop procedure is defined",
      ask: "No stop procedure.",
      isSo: Boolean(oversight?.stop_procedure),
    },
    isHeavy && { what: "Alert contact is named", ask: "No alert contact.", isSo: Boolean(monitoring?.alert_contact) },
  ];
  return points.filter((point) => point !== false);
};

/** Read off the answers: what is in order, and what is worth a question. */
export const ReviewChecklist = ({ review }: { readonly review: ReviewData }) => {
  const points = checklistOf(review);
  const open = points.filter(({ isSo }) => !isSo).length;
  return (
    <Card
      title="Automatic checks"
      hint="Advisory, based on the answers."
      actions={
        <Chip tone={open === 0 ? "ok" : "warn"}>
          {open === 0 ? "no open questions" : countOf(open, "open question")}
        </Chip>
      }
    >
      <ul className="flex flex-col gap-2">
        {points.map(({ what, ask, isSo }) => (
          <li key={what} className="flex items-start gap-2">
            {isSo ? (
              <Check className="mt-0.5 size-4 shrink-0 text-ok" role="img" aria-label="Passed:" />
            ) : (
              <TriangleAlert className="mt-0.5 size-4 shrink-0 text-warn" role="img" aria-label="Open question:" />
            )}
            <span className="min-w-0 break-words">
              {what}
              {!isSo && <span className="block text-[13px] text-warn">{ask}</span>}
            </span>
          </li>
        ))}
      </ul>
    </Card>
  );
};
