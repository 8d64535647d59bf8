import { useNavigate } from "@tanstack/react-router";
import { ChevronLeft, ChevronRight, Send } from "lucide-react";
import { useState } from "react";
import { ApiError, call, messageOf } from "#dashboard/api/client";
import { Button } from "#dashboard/parts/button";
import { Card } from "#dashboard/parts/card";
import { useFilters } from "#dashboard/parts/filters";
import { useAct, useRefresh } from "#dashboard/parts/hooks";
import { Wrong } from "#dashboard/parts/states";
import { useToasts } from "#dashboard/parts/toast";
import type { Section } from "#policy/review/questionnaire";
import { answered, fieldsOf, missingIn, type ReviewData, riskSoFar, withAllSections } from "./review-answers";
import { type ReviewDraft, useDraft } from "./review-draft";
import { Field, toolNamed } from "./review-fields";
import { Observed } from "./review-observed";
import { QUESTIONS, SECTION_TEXTS, SECTIONS, sectionNamed } from "./review-questions";
import { SaveState } from "./review-save-state";
import { SectionList } from "./review-sections";
import { TierMeter } from "./review-tier";

/** `answers.models.models[0]`: whose answer it is. */
const placeOf = (
  param: string | null,
): { readonly section: Section | undefined; readonly name: string | undefined } => {
  const [, section, name] = /^answers\.(\w+)(?:\.(\w+))?/.exec(param ?? "") ?? [];
  return { section: sectionNamed(section), name };
};

/**
 * The nine sections, one at a time. A draft is saved as it is written; what was submitted is sent as a whole, since
 * approvals given so far no longer count then.
 */
export const ReviewForm = ({ review, onLeave }: { readonly review: ReviewData; readonly onLeave?: () => void }) => {
  const isDraft = review.status === "draft" || review.status === "changes_requested";
  const draft = useDraft(review, isDraft);
  const { values, set } = useFilters(["section"]);
  const section = sectionNamed(values.section) ?? "ownership";
  const go = (to: Section | undefined) => to && set({ section: to });
  const at = SECTIONS.indexOf(section);
  const [refused, setRefused] = useState<{ readonly message: string; readonly param: string | null } | null>(null);
  const wrong = refused ?? (draft.saving.is === "failed" ? draft.saving : null);
  const place = placeOf(wrong?.param ?? null);
  const [title, hint] = SECTION_TEXTS[section];
  return (
    <div className="grid items-start gap-4 lg:grid-cols-[16rem_1fr] xl:grid-cols-[16rem_1fr_20rem]">
      <div className="flex flex-col gap-3 lg:sticky lg:top-16">
        <SectionList answers={draft.answers} current={section} wrong={place.section} onGo={go} />
        <SaveState draft={draft} auto={isDraft} />
      </div>
      <Card title={`${at + 1}. ${title}`} hint={hint}>
        <div className="flex flex-col gap-5">
          {wrong && !place.name && <Wrong>{wrong.message}</Wrong>}
          {QUESTIONS[section].map((question) => (
            <Field
              key={`${section} ${question.name}`}
              question={question}
              value={fieldsOf(draft.answers, section)[question.name]}
              error={place.section === section && place.name === question.name ? wrong?.message : undefined}
              onChange={(value) => {
                setRefused(null);
                draft.change(answered(draft.answers, section, question.name, value));
              }}
            />
          ))}
          <Used review={review} draft={draft} section={section} />
          <div className="flex flex-wrap justify-between gap-2 border-t border-line pt-4">
            <Button icon={ChevronLeft} disabled={at === 0} onClick={() => go(SECTIONS[at - 1])}>
              Back
            </Button>
            {at < SECTIONS.length - 1 ? (
              <Button kind="primary" onClick={() => go(SECTIONS[at + 1])}>
                Next <ChevronRight className="size-4" aria-hidden />
              </Button>
            ) : (
              <Submit review={review} draft={draft} onRefused={setRefused} go={go} onLeave={onLeave} />
            )}
          </div>
        </div>
      </Card>
      <div className="flex flex-col gap-4 lg:col-start-2 xl:sticky xl:top-16 xl:col-start-3">
        <TierMeter risk={riskSoFar(draft.answers)} open={riskSoFar(draft.answers).open} />
      </div>
    </div>
  );
};

/** Beside models and tools: what was really used, and a way to declare it. */
const Used = ({
  review,
  draft,
  section,
}: {
  readonly review: ReviewData;
  readonly draft: ReviewDraft;
  readonly section: Section;
}) => {
  if (section !== "models" && section !== "tools") return null;
  const { answers, change } = draft;
  const declare = (name: string) => {
    const fields = fieldsOf(answers, section);
    const before = Array.isArray(fields[section]) ? fields[section] : [];
    change(answered(answers, section, section, [...before, section === "models" ? name : toolNamed(name)]));
  };
  const isThere = (name: string): boolean =>
    section === "models"
      ? (answers.models?.models ?? []).includes(name)
      : (answers.tools?.tools ?? []).some((one) => one.tool === toolNamed(name).tool);
  return (
    <Observed
      observed={review.observed}
      of={section}
      add={(name) =>
        !isThere(name) && (
          <Button small onClick={() => declare(name)}>
            Declare
          </Button>
        )
      }
    />
  );
};

type Refused = { readonly message: string; readonly param: string | null };

const Submit = ({
  review,
  draft,
  onRefused,
  go,
  onLeave,
}: {
  readonly review: ReviewData;
  readonly draft: ReviewDraft;
  readonly onRefused: (refused: Refused | null) => void;
  readonly go: (section: Section | undefined) => void;
  readonly onLeave: (() => void) | undefined;
}) => {
  const [busy, setBusy] = useState(false);
  const toasts = useToasts();
  const refresh = useRefresh();
  const navigate = useNavigate();
  const withdraw = useAct("POST /api/reviews/:id/withdraw", {
    refresh: ["/api/reviews", "/api/agents", "/api/inbox"],
    done: "Review withdrawn.",
    onDone: () => void navigate({ to: `/agents/${review.agent_id}/reviews` }),
  });
  const missing = missingIn(draft.answers);
  const isDraft = review.status === "draft" || review.status === "changes_requested";
  const send = async (): Promise<void> => {
    setBusy(true);
    onRefused(null);
    try {
      draft.change(withAllSections(draft.answers));
      if (!(await draft.save())) return;
      if (isDraft) await call("POST /api/reviews/:id/submit", { params: { id: review.id } });
      toasts.say("ok", "Submitted for review.");
      onLeave?.();
      await refresh("/api/reviews", "/api/agents", "/api/inbox");
    } catch (error) {
      const param = error instanceof ApiError ? error.param : null;
      onRefused({ message: messageOf(error), param });
      go(placeOf(param).section);
    } finally {
      setBusy(false);
    }
  };
  return (
    <div className="flex flex-wrap items-center gap-2">
      {missing.length > 0 && (
        <p className="text-[13px] text-muted">
          Missing: {missing.map((section) => SECTION_TEXTS[section][0]).join(", ")}.
        </p>
      )}
      {isDraft && (
        <Button kind="quiet" busy={withdraw.isPending} onClick={() => withdraw.mutate({ params: { id: review.id } })}>
          Withdraw
        </Button>
      )}
      <Button
        kind="primary"
        icon={Send}
        busy={busy}
        disabled={missing.length > 0 || draft.saving.is === "conflict" || (!isDraft && !draft.isChanged)}
        onClick={() => void send()}
      >
        {isDraft ? "Submit for review" : "Submit the changed answers"}
      </Button>
    </div>
  );
};
