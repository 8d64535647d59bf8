import { Check, CircleAlert, CircleDashed } from "lucide-react";
import { cx } from "#dashboard/parts/class-names";
import type { DraftAnswers, Section } from "#policy/review/questionnaire";
import { progressOf } from "./review-answers";
import { SECTION_TEXTS, SECTIONS } from "./review-questions";

/** The nine sections, with how far each is. */
export const SectionList = ({
  answers,
  current,
  wrong,
  onGo,
}: {
  readonly answers: DraftAnswers;
  readonly current: Section;
  readonly wrong: Section | undefined;
  readonly onGo: (section: Section) => void;
}) => {
  const done = SECTIONS.filter((section) => progressOf(answers, section).missing.length === 0).length;
  return (
    <nav aria-label="Sections of the review" className="rounded-lg border border-line bg-panel p-2 shadow-card">
      <p className="px-2 py-1 text-[13px] text-muted">
        {done} of {SECTIONS.length} have what is needed
      </p>
      <ol className="flex flex-col">
        {SECTIONS.map((section) => (
          <li key={section}>
            <Entry
              answers={answers}
              section={section}
              onGo={onGo}
              isCurrent={section === current}
              isWrong={section === wrong}
            />
          </li>
        ))}
      </ol>
    </nav>
  );
};

const Entry = ({
  answers,
  section,
  isCurrent,
  isWrong,
  onGo,
}: {
  readonly answers: DraftAnswers;
  readonly section: Section;
  readonly isCurrent: boolean;
  readonly isWrong: boolean;
  readonly onGo: (section: Section) => void;
}) => {
  const { answered, of, missing } = progressOf(answers, section);
  const isDone = missing.length === 0;
  const Icon = isWrong ? CircleAlert : isDone ? Check : CircleDashed;
  const state = isWrong ? "has errors" : isDone ? "complete" : `${missing.length} missing`;
  return (
    <button
      type="button"
      aria-current={isCurrent ? "step" : undefined}
      onClick={() => onGo(section)}
      className={cx(
        "flex w-full items-center gap-2 rounded-md px-2 py-1.5 text-left hover:bg-raised",
        isCurrent && "bg-accent-soft font-medium",
      )}
    >
      <Icon
        className={cx("size-4 shrink-0", isWrong ? "text-bad" : isDone ? "text-ok" : "text-muted")}
        aria-label={state}
      />
      <span className="min-w-0 flex-1">{SECTION_TEXTS[section][0]}</span>
      <span className="text-xs text-muted">
        {answered}/{of}
      </span>
    </button>
  );
};
