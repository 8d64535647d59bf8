import { Ban, CirclePause, CirclePlay, RefreshCw, Terminal } from "lucide-react";
import { useState } from "react";
import type { AnswerTo } from "#dashboard/api/client";
import { useHasRole } from "#dashboard/app/session";
import { Confirm, Dialog, FormDialog } from "#dashboard/parts/dialog";
import { Select } from "#dashboard/parts/field";
import { type ItemOf, useAct } from "#dashboard/parts/hooks";
import { Menu } from "#dashboard/parts/menu";
import { isOwners } from "#dashboard/parts/states";
import { Time } from "#dashboard/parts/time";
import { KeyResponse } from "./key-new";
import { KeySnippets } from "./key-snippets";

type Key = ItemOf<"GET /api/tokens">;

const REFRESH = ["/api/tokens", "/api/agents"] as const;

const nameOf = ({ name, display }: Key): string => name ?? display;

type Doing = "use" | "rotate" | "disable" | "revoke";

/** What can be done with a key. `onDo`: what asks first. */
export const KeyActions = ({ item, onDo }: { readonly item: Key; readonly onDo: (doing: Doing) => void }) => {
  const enable = useAct("POST /api/tokens/:id/enable", { refresh: REFRESH, done: `${nameOf(item)} enabled.` });
  const isAdmin = useHasRole("admin");
  const { state, disabled } = item;
  if (state === "revoked") return null;
  return (
    <Menu
      label={`Actions for ${nameOf(item)}`}
      items={[
        state === "active" && { label: "Client settings…", icon: Terminal, onSelect: () => onDo("use") },
        state === "active" && { label: "Rotate…", icon: RefreshCw, onSelect: () => onDo("rotate") },
        state === "active" && { label: "Disable…", icon: CirclePause, onSelect: () => onDo("disable") },
        state === "disabled" &&
          (isAdmin || isOwners(disabled)) && {
            label: "Enable",
            icon: CirclePlay,
            onSelect: () => enable.mutate({ params: { id: item.id } }),
          },
        { label: "Revoke…", icon: Ban, danger: true, onSelect: () => onDo("revoke") },
      ]}
    />
  );
};

type Part = { readonly item: Key; readonly onClose: () => void };
export type KeyAction = { readonly doing: Doing; readonly item: Key };

/** Beside the list and not in it: a key that was rotated may leave the list before its successor was copied. */
export const KeyDialog = ({ doing, ...part }: KeyAction & Part) => {
  if (doing === "use") return <Settings {...part} />;
  if (doing === "rotate") return <Rotate {...part} />;
  return doing === "disable" ? <Disable {...part} /> : <Revoke {...part} />;
};

/** How a key that was made earlier is used. The hub does not know it any more, so a placeholder stands for it. */
const Settings = ({ item, onClose }: Part) => (
  <Dialog
    open
    wide
    onClose={onClose}
    title={`Client settings for ${nameOf(item)}`}
    hint={`Put the key in place of ${item.display}: the hub stores only a hash of it.`}
  >
    <KeySnippets token={item.display} />
  </Dialog>
);

const GRACES = [
  { value: "0", label: "At once" },
  { value: "1", label: "In an hour" },
  { value: "24", label: "In a day" },
  { value: "168", label: "In a week" },
  { value: "720", label: "In 30 days" },
] as const;

const Rotate = ({ item, onClose }: Part) => {
  const [hours, setHours] = useState("24");
  const [made, setMade] = useState<AnswerTo<"POST /api/tokens/:id/rotate"> | null>(null);
  const rotate = useAct("POST /api/tokens/:id/rotate", { refresh: REFRESH, quiet: true, onDone: setMade });
  if (made) {
    return (
      <KeyResponse issued={made} title={`New key of ${nameOf(item)}`} onClose={onClose}>
        <p>
          The old one, <code className="font-mono text-xs">{made.replaces.display}</code>, ends{" "}
          <Time at={made.replaces.ends_at} />.
        </p>
      </KeyResponse>
    );
  }
  return (
    <FormDialog
      onClose={onClose}
      title={`Rotate ${nameOf(item)}`}
      hint="Creates a new key with the same name and agent. Both keys are valid until the old one expires."
      submit="Rotate"
      act={rotate}
      onSubmit={() => rotate.mutate({ params: { id: item.id }, body: { grace_hours: Number(hours) } })}
    >
      <Select
        label="Old key expires"
        hint="Allow enough time to replace the key everywhere."
        value={hours}
        onValue={setHours}
        choices={GRACES}
      />
    </FormDialog>
  );
};

const Disable = ({ item, onClose }: Part) => {
  const disable = useAct("POST /api/tokens/:id/disable", {
    refresh: REFRESH,
    done: `${nameOf(item)} disabled.`,
    close: onClose,
  });
  return (
    <Confirm
      onClose={onClose}
      title={`Disable ${nameOf(item)}?`}
      submit="Disable"
      act={disable}
      onConfirm={() => disable.mutate({ params: { id: item.id } })}
    >
      Calls with this key are refused until it is enabled again.
    </Confirm>
  );
};

const Revoke = ({ item, onClose }: Part) => {
  const revoke = useAct("POST /api/tokens/:id/revoke", {
    refresh: REFRESH,
    done: `${nameOf(item)} revoked.`,
    close: onClose,
  });
  return (
    <Confirm
      onClose={onClose}
      title={`Revoke ${nameOf(item)}?`}
      word="revoke"
      submit="Revoke permanently"
      act={revoke}
      onConfirm={() => revoke.mutate({ params: { id: item.id } })}
    >
      Calls with <code className="font-mono text-xs">{item.display}</code> are refused from the next one on. This is
      permanent; to stop the key temporarily, disable it.
    </Confirm>
  );
};
