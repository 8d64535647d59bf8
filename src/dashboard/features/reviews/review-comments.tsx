import { type FormEvent, useState } from "react";
import { useHasRole, useMe } from "#dashboard/app/session";
import { Button } from "#dashboard/parts/button";
import { Card } from "#dashboard/parts/card";
import { Chip, StateChip, Tag } from "#dashboard/parts/chip";
import { Select, TextArea } from "#dashboard/parts/field";
import { useAct } from "#dashboard/parts/hooks";
import { Time } from "#dashboard/parts/time";
import type { ReviewData } from "./review-answers";
import { SECTION_TEXTS, SECTIONS, sectionNamed } from "./review-questions";

type Said =
  | { readonly is: "decision"; readonly at: string; readonly it: ReviewData["decisions"][number] }
  | { readonly is: "comment"; readonly at: string; readonly it: ReviewData["comments"][number] };

/** Who said what, oldest first: decisions, with whether they count, and comments. */
export const ReviewComments = ({ review }: { readonly review: ReviewData }) => {
  const isAuditor = useHasRole("auditor");
  const me = useMe().user;
  const mayComment = !isAuditor || me.email === review.owner;
  const said: readonly Said[] = [
    ...review.decisions.map((it) => ({ is: "decision" as const, at: it.at, it })),
    ...review.comments.map((it) => ({ is: "comment" as const, at: it.at, it })),
  ].toSorted((one, other) => (one.at < other.at ? -1 : 1));
  return (
    <Card title="Decisions and comments">
      {said.length === 0 && <p className="mb-3 text-muted">No decisions or comments yet.</p>}
      <ol className="flex flex-col gap-3">
        {said.map((one) => (
          <li key={one.it.id} className="border-l-2 border-line pl-3">
            <p className="flex flex-wrap items-center gap-2">
              <span className="font-medium">{one.it.by}</span>
              {one.is === "decision" ? <DecisionChips decision={one.it} /> : <SectionTag of={one.it.section} />}
              <span className="text-[13px] text-muted">
                <Time at={one.at} />
              </span>
            </p>
            <p className="break-words whitespace-pre-wrap">{one.is === "decision" ? one.it.comment : one.it.text}</p>
          </li>
        ))}
      </ol>
      {mayComment && <NewComment review={review} />}
    </Card>
  );
};

const WORDS: Readonly<Record<string, string>> = {
  approve: "approved",
  request_changes: "changes_requested",
  reject: "rejected",
};

const DecisionChips = ({
  decision: { decision, counts, alone },
}: {
  readonly decision: ReviewData["decisions"][number];
}) => (
  <>
    <StateChip of={WORDS[decision] ?? decision} />
    {!counts && <Chip>outdated</Chip>}
    {alone && <Chip tone="warn">sole approver</Chip>}
  </>
);

const SectionTag = ({ of }: { readonly of: string | null }) => {
  const section = sectionNamed(of ?? undefined);
  return section ? <Tag>{SECTION_TEXTS[section][0]}</Tag> : null;
};

const NewComment = ({ review }: { readonly review: ReviewData }) => {
  const [text, setText] = useState("");
  const [section, setSection] = useState("");
  const add = useAct("POST /api/reviews/:id/comments", {
    refresh: ["/api/reviews"],
    done: "Comment added.",
    onDone: () => setText(""),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const about = sectionNamed(section);
    add.mutate({ params: { id: review.id }, body: { text: text.trim(), ...(about && { section: about }) } });
  };
  return (
    <form onSubmit={submit} className="mt-4 flex flex-col gap-2 border-t border-line pt-4">
      <TextArea label="Comment" maxLength={4_000} value={text} onValue={setText} />
      <div className="flex flex-wrap items-end justify-between gap-2">
        <div className="w-56">
          <Select
            label="Section"
            value={section}
            onValue={setSection}
            choices={[
              { value: "", label: "General" },
              ...SECTIONS.map((value) => ({ value, label: SECTION_TEXTS[value][0] })),
            ]}
          />
        </div>
        <Button type="submit" busy={add.isPending} disabled={text.trim() === ""}>
          Comment
        </Button>
      </div>
    </form>
  );
};
