import { KeyRound, Send, Trash2 } from "lucide-react";
import { useState } from "react";
import type { AnswerTo } from "#dashboard/api/client";
import { Button } from "#dashboard/parts/button";
import { Confirm, FormDialog } from "#dashboard/parts/dialog";
import { Select } from "#dashboard/parts/field";
import { type ItemOf, useAct } from "#dashboard/parts/hooks";
import { Menu } from "#dashboard/parts/menu";
import { useToasts } from "#dashboard/parts/toast";
import { SecretInput, SourceMade } from "./source-form";

type Source = ItemOf<"GET /api/hook-sources">;
type Part = { readonly source: Source; readonly onClose: () => void };

const REFRESH = ["/api/hook-sources"] as const;

/** Has the hub send itself a frame, as the source would. */
export const TestButton = ({ source }: { readonly source: Source }) => {
  const toasts = useToasts();
  const test = useAct("POST /api/hook-sources/:id/test", {
    refresh: REFRESH,
    onDone: ({ ok, answer, ms, problem, url }) =>
      toasts.say(ok ? "ok" : "bad", ok ? `Answered ${answer} in ${ms} ms.` : `No verdict from ${url}: ${problem}.`),
  });
  if (source.kind === "litellm") return null;
  return (
    <Button icon={Send} busy={test.isPending} onClick={() => test.mutate({ params: { id: source.id } })}>
      Test<span className="sr-only"> {source.name}</span>
    </Button>
  );
};

export const SourceActions = ({ source }: { readonly source: Source }) => {
  const [doing, setDoing] = useState<"rotate" | "remove" | null>(null);
  const close = () => setDoing(null);
  if (source.given_by === "configuration") return null;
  const rotating = { label: "New secret…", icon: KeyRound, onSelect: () => setDoing("rotate") };
  return (
    <>
      <Menu
        label={`Actions for ${source.name}`}
        items={[
          ...(source.kind === "litellm" ? [] : [rotating]),
          { label: "Remove…", icon: Trash2, danger: true, onSelect: () => setDoing("remove") },
        ]}
      />
      {doing === "rotate" && <NewSecret source={source} onClose={close} />}
      {doing === "remove" && <RemoveSource source={source} onClose={close} />}
    </>
  );
};

const GRACES = [
  { value: "0", label: "At once" },
  { value: "600", label: "After ten minutes" },
  { value: "3600", label: "After an hour" },
  { value: "86400", label: "After a day" },
] as const;

const NewSecret = ({ source, onClose }: Part) => {
  const [grace, setGrace] = useState<(typeof GRACES)[number]["value"]>("3600");
  const [secret, setSecret] = useState("");
  const [made, setMade] = useState<AnswerTo<"POST /api/hook-sources/:id/rotate"> | null>(null);
  const rotate = useAct("POST /api/hook-sources/:id/rotate", { refresh: REFRESH, quiet: true, onDone: setMade });
  if (made) return <SourceMade source={made} onClose={onClose} />;
  const body = { grace: Number(grace), ...(secret !== "" && { secret: secret.trim() }) };
  return (
    <FormDialog
      onClose={onClose}
      title="New secret"
      hint="Both secrets are accepted until the old one expires."
      submit="Create"
      act={rotate}
      onSubmit={() => rotate.mutate({ params: { id: source.id }, body })}
    >
      <SecretInput value={secret} onValue={setSecret} />
      <Select label="Old secret expires" value={grace} onValue={setGrace} choices={GRACES} />
    </FormDialog>
  );
};

const RemoveSource = ({ source, onClose }: Part) => {
  const remove = useAct("DELETE /api/hook-sources/:id", { refresh: REFRESH, close: onClose, done: "Source removed." });
  return (
    <Confirm
      onClose={onClose}
      title="Remove source?"
      submit="Remove"
      act={remove}
      onConfirm={() => remove.mutate({ params: { id: source.id } })}
    >
      The hub lets nothing of {source.name} in any more. What the system then does is up to its own settings.
    </Confirm>
  );
};
