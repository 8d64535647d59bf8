import { Check, TriangleAlert } from "lucide-react";
import { Card } from "#dashboard/parts/card";
import { Chip } from "#dashboard/parts/chip";
import type { Review } from "./review-type";

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
const checklistOf = ({ answers, observed, risk }: Pick<Review, "answers" | "observed" | "risk">): readonly Point[] => {
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
      what: "What it really used is declared",
      ask: `${undeclared.map(({ name }) => name).join(", ")}: not declared.`,
      isSo: undeclared.length === 0,
    },
    {
      what: "Somebody answers when its owner leaves",
      ask: "The answers name no sponsor.",
      isSo: Boolean(ownership?.sponsor),
    },
    acting.length > 0 && {
      what: "A person stands between it and what it does",
      ask: `It acts by itself with ${acting.map(({ tool }) => tool).join(", ")}.`,
      isSo: isHeld,
    },
    STRANGERS.includes(purpose?.audience ?? "") && {
      what: "People are told that an AI answers",
      ask: "It does not say how they are told.",
      isSo: Boolean(purpose?.disclosure),
    },
    keeps && {
      what: "What is kept of its calls has an end",
      ask: "No days are named.",
      isSo: Boolean(data_privacy?.retention_days),
    },
    isHeavy && {
      what: "It is written down how a person stops it",
      ask: "Nothing is said of it.",
      isSo: Boolean(oversight?.stop_procedure),
    },
    isHeavy && { what: "Somebody is named whom to alert", ask: "Nobody is.", isSo: Boolean(monitoring?.alert_contact) },
  ];
  return points.filter((point) => point !== false);
};

/** Read off the answers: what is in order, and what is worth a question. */
export const ReviewChecklist = ({ review }: { readonly review: Review }) => {
  const points = checklistOf(review);
  const open = points.filter(({ isSo }) => !isSo).length;
  return (
    <Card
      title="Checklist"
      hint="Read off the answers. It decides nothing."
      actions={<Chip tone={open === 0 ? "ok" : "warn"}>{open === 0 ? "nothing to ask" : `${open} to ask about`}</Chip>}
    >
      <ul className="flex flex-col gap-2">
        {points.map(({ what, ask, isSo }) => (
          <li key={what} className="flex items-start gap-2">
            {isSo ? (
              <Check className="mt-0.5 size-4 shrink-0 text-ok" role="img" aria-label="In order:" />
            ) : (
              <TriangleAlert className="mt-0.5 size-4 shrink-0 text-warn" role="img" aria-label="To ask about:" />
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
