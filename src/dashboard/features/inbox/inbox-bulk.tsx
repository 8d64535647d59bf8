import { useState } from "react";
import { useMe } from "#dashboard/app/session";
import { Button } from "#dashboard/parts/button";
import { FormDialog } from "#dashboard/parts/dialog";
import { TextArea } from "#dashboard/parts/field";
import { useAct } from "#dashboard/parts/hooks";
import { countOf } from "#dashboard/parts/numbers";
import { Wrong } from "#dashboard/parts/states";
import { useToasts } from "#dashboard/parts/toast";
import type { InboxItem, InboxKind } from "#features/inbox/schema";
import { type BulkDecision, type BulkItem, offeredFor, REFRESHED, type Results, sizeOf } from "./inbox-kinds";

/** Items of one request of the hub. */
export const MAX_SELECTED = 100;

const refsOf = (items: readonly BulkItem[]) =>
  items.flatMap(({ kind, id, like }) => [id, ...like].map((one) => ({ kind, id: one }))).slice(0, MAX_SELECTED);

/** Assigns items, like ones with them. */
export const useAssign = (onDone: () => void = () => undefined) => {
  const toasts = useToasts();
  const { user } = useMe();
  const act = useAct("POST /api/inbox/assign", {
    refresh: REFRESHED,
    onDone: ({ done, failed, data }) => {
      const why = data.find(({ error }) => error !== null)?.error?.message;
      if (failed > 0) toasts.say("bad", `${countOf(failed, "item")} could not be assigned. ${why ?? ""}`);
      else toasts.say("ok", `${countOf(done, "item")} changed.`);
      onDone();
    },
  });
  return {
    isPending: act.isPending,
    isMine: ({ assignee }: Pick<InboxItem, "assignee">) => assignee === user.email,
    assign: (items: readonly BulkItem[], assignee: "me" | null) =>
      act.mutate({ body: { items: refsOf(items), assignee } }),
  };
};

/** What can be done with what is selected; stays in sight. */
export const BulkBar = ({
  kind,
  selected,
  onClear,
}: {
  readonly kind: InboxKind;
  readonly selected: readonly BulkItem[];
  readonly onClear: () => void;
}) => {
  const [deciding, setDeciding] = useState<BulkDecision | null>(null);
  const assigning = useAssign(onClear);
  if (selected.length === 0) return null;
  const count = selected.reduce((sum, item) => sum + sizeOf(item), 0);
  const isTooMany = count > MAX_SELECTED;
  const offered = offeredFor(kind, selected);
  const open = offered.find(({ decision }) => decision === deciding);
  return (
    <div
      role="toolbar"
      aria-label="Selected items"
      className="sticky top-12 z-10 flex flex-wrap items-center gap-1.5 border-b border-line bg-accent-soft px-4 py-2"
    >
      <span role="status" className="mr-1 font-medium">
        {countOf(count, "item")} selected
      </span>
      {isTooMany && <span className="text-warn">At most {MAX_SELECTED} at once.</span>}
      {offered.map(({ decision, key, label }) => (
        <Button
          key={decision}
          small
          data-shortcut={key}
          aria-keyshortcuts={key}
          disabled={isTooMany}
          onClick={() => setDeciding(decision)}
        >
          {label}
        </Button>
      ))}
      <Button
        small
        data-shortcut="m"
        aria-keyshortcuts="m"
        disabled={isTooMany}
        busy={assigning.isPending}
        onClick={() => assigning.assign(selected, "me")}
      >
        Assign to me
      </Button>
      {selected.some(({ assignee }) => assignee !== null) && (
        <Button small disabled={isTooMany || assigning.isPending} onClick={() => assigning.assign(selected, null)}>
          Unassign
        </Button>
      )}
      <Button small kind="quiet" onClick={onClear}>
        Clear selection
      </Button>
      {open && (
        <BulkDialog
          items={selected}
          count={count}
          {...open}
          onClose={() => setDeciding(null)}
          onDone={() => {
            setDeciding(null);
            onClear();
          }}
        />
      )}
    </div>
  );
};

/** One decision on several items; what the hub refused is told of each. */
export const BulkDialog = ({
  items: given,
  count,
  decision,
  label,
  hint,
  onClose,
  onDone,
}: {
  readonly items: readonly BulkItem[];
  readonly count: number;
  readonly decision: BulkDecision;
  readonly label: string;
  readonly hint: string;
  readonly onClose: () => void;
  readonly onDone: () => void;
}) => {
  // As they were when the dialog was opened.
  const [items] = useState(given);
  const [comment, setComment] = useState("");
  const [results, setResults] = useState<Results | null>(null);
  const toasts = useToasts();
  const act = useAct("POST /api/inbox/decisions", {
    quiet: true,
    refresh: REFRESHED,
    onDone: (answer) => {
      if (answer.failed > 0) return setResults(answer);
      toasts.say("ok", `${countOf(answer.done, "item")} decided.`);
      onDone();
    },
  });
  const isAlone = items.some(({ alone }) => alone);
  const said = comment.trim();
  const send = () =>
    act.mutate({
      body: {
        items: items
          .flatMap(({ kind, id, like, content_hash }) =>
            [id, ...like].map((one) => ({ kind, id: one, ...(content_hash !== null && { content_hash }) })),
          )
          .flatMap(({ kind, ...one }) =>
            kind === "report" || kind === "held_call" || kind === "tuning" ? [{ kind, ...one }] : [],
          ),
        decision,
        ...(said && { comment: said }),
      },
    });
  if (results) return <Refused results={results} items={items} onClose={onDone} />;
  return (
    <FormDialog
      onClose={onClose}
      title={`${label}: ${countOf(count, "item")}`}
      hint={hint}
      submit={`${label} (${count})`}
      danger={decision === "deny"}
      act={act}
      isReady
      disabled={isAlone && said === ""}
      onSubmit={send}
    >
      <TextArea
        label="Comment"
        hint={isAlone ? "You decide alone on some of them: a reason is required." : "Recorded with each decision."}
        required={isAlone}
        maxLength={2_000}
        value={comment}
        onValue={setComment}
      />
    </FormDialog>
  );
};

const Refused = ({
  results: { data, done, failed },
  items,
  onClose,
}: {
  readonly results: Results;
  readonly items: readonly BulkItem[];
  readonly onClose: () => void;
}) => {
  const titleOf = (id: string) => items.find((item) => item.id === id || item.like.includes(id))?.title ?? id;
  return (
    <FormDialog
      onClose={onClose}
      title={`${countOf(done, "item")} decided, ${failed} not`}
      submit="Close"
      onSubmit={onClose}
      isReady
    >
      <ul className="flex flex-col gap-2">
        {data.map(
          ({ id, error }) =>
            error && (
              <li key={id}>
                <Wrong>
                  {titleOf(id)} ({id.slice(0, 8)}): {error.message}
                </Wrong>
              </li>
            ),
        )}
      </ul>
    </FormDialog>
  );
};
