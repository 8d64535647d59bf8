import { Button } from "#dashboard/parts/button";
import { Chip } from "#dashboard/parts/chip";
import type { ReviewDraft } from "./review-draft";

const WORDS = { saved: "Saved", saving: "Saving…", unsaved: "Not saved yet" } as const;

/** Whether what is written is safe, and what to do when it is not. */
export const SaveState = ({ draft, auto }: { readonly draft: ReviewDraft; readonly auto: boolean }) => {
  const { saving, save, overwrite, takeTheirs } = draft;
  if (saving.is === "conflict") {
    return (
      <div role="alert" className="flex flex-col gap-2 rounded-md bg-warn-soft px-3 py-2 text-warn">
        <p>Another user has changed this review. Your later changes are not saved.</p>
        <div className="flex flex-wrap gap-2">
          <Button small onClick={() => void takeTheirs()}>
            Use their version
          </Button>
          <Button small onClick={() => void overwrite()}>
            Keep my version
          </Button>
        </div>
      </div>
    );
  }
  if (saving.is === "failed") {
    return (
      <div role="alert" className="flex flex-col gap-2 rounded-md bg-bad-soft px-3 py-2 text-[13px] text-bad">
        <p>Not saved: {saving.message}</p>
        {saving.param === null && (
          <Button small onClick={() => void save()}>
            Retry
          </Button>
        )}
      </div>
    );
  }
  return (
    <p role="status" className="px-1">
      <Chip tone={saving.is === "saved" ? "ok" : "wait"}>
        {saving.is === "unsaved" && !auto ? "Sent when you submit" : WORDS[saving.is]}
      </Chip>
    </p>
  );
};
