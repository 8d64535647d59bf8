import { Card, Facts } from "#dashboard/parts/card";
import { Chip } from "#dashboard/parts/chip";
import { Id } from "#dashboard/parts/copy";
import { Differences } from "#dashboard/parts/differences";
import { Time } from "#dashboard/parts/time";
import { Answer, fieldsOf, type ReviewData, riskSoFar } from "./review-answers";
import { ReviewChecklist } from "./review-checklist";
import { ReviewComments } from "./review-comments";
import { ReviewDecide } from "./review-decide";
import { Observed } from "./review-observed";
import { ReviewProfile } from "./review-profile";
import { QUESTIONS, type Question, SECTION_TEXTS, SECTIONS, sectionNamed } from "./review-questions";
import { TierMeter } from "./review-tier";

const WAITING: readonly string[] = ["submitted", "in_review"];

/** What a reviewer reads and does: changes first, then the answers, what was really used, who said what. */
export const ReviewCase = ({ review }: { readonly review: ReviewData }) => (
  <div className="grid items-start gap-4 xl:grid-cols-[1fr_24rem]">
    <div className="flex min-w-0 flex-col gap-4">
      {review.changes.length > 0 && (
        <Card title="Changes" hint="Compared with the answers approved last." flush>
          <Differences
            changes={review.changes}
            nameOf={({ pointer }) => titleOf(pointer)}
            show={(value, { pointer }) => <Answer question={questionAt(pointer)} of={value} />}
            note={({ material }) => material && <Chip tone="warn">affects permissions</Chip>}
          />
        </Card>
      )}
      {WAITING.includes(review.status) && <ReviewProfile review={review} />}
      <Answers review={review} />
      <ReviewComments review={review} />
    </div>
    <div className="flex min-w-0 flex-col gap-4 xl:sticky xl:top-16">
      <ReviewDecide review={review} />
      <ReviewChecklist review={review} />
      <TierMeter risk={review.risk ?? riskSoFar(review.answers)} required={review.required} />
      <Card title="Details">
        <Facts
          rows={[
            ["Owner", review.owner],
            ["Submitted by", review.submitted_by],
            ["Submitted", review.submitted_at && <Time key="at" at={review.submitted_at} />],
            ["Hash of the answers", review.content_hash && <Id key="hash" value={review.content_hash} />],
          ]}
        />
      </Card>
    </div>
  </div>
);

/** `/purpose/audience`: the question it answers, and its section. */
const placeOf = (pointer: string) => {
  const [, first = "", name = ""] = pointer.split("/");
  const section = sectionNamed(first);
  return { section, question: section && QUESTIONS[section].find((one) => one.name === name) };
};

const questionAt = (pointer: string): Question | undefined => placeOf(pointer).question;

const titleOf = (pointer: string): string => {
  const { section, question } = placeOf(pointer);
  if (!section) return pointer;
  const title = SECTION_TEXTS[section][0];
  return question ? `${title}: ${question.label}` : title;
};

const Answers = ({ review }: { readonly review: ReviewData }) => (
  <Card title="Answers" flush>
    {SECTIONS.map((section) => {
      const fields = fieldsOf(review.answers, section);
      const given = QUESTIONS[section].filter(({ name }) => fields[name] !== undefined && fields[name] !== null);
      return (
        <section
          key={section}
          aria-label={SECTION_TEXTS[section][0]}
          className="flex flex-col gap-2 border-b border-line px-4 py-3 last:border-b-0"
        >
          <h3 className="font-medium">{SECTION_TEXTS[section][0]}</h3>
          {given.length === 0 ? (
            <p className="text-muted">No answers.</p>
          ) : (
            <Facts
              rows={given.map((question) => [
                question.label,
                <Answer key={question.name} question={question} of={fields[question.name]} />,
              ])}
            />
          )}
          {(section === "models" || section === "tools") && <Observed observed={review.observed} of={section} />}
        </section>
      );
    })}
  </Card>
);
