import { useNavigate } from "@tanstack/react-router";
import { KeyRound, Pause, Pencil, Play, Trash2 } from "lucide-react";
import { useState } from "react";
import { Confirm, FormDialog } from "#dashboard/parts/dialog";
import { Select } from "#dashboard/parts/field";
import { type ItemOf, useAct } from "#dashboard/parts/hooks";
import { Menu } from "#dashboard/parts/menu";
import { SigningSecret } from "#dashboard/parts/secret-once";
import { WebhookForm } from "./webhook-form";

type Webhook = ItemOf<"GET /api/webhooks">;
type Part = { readonly webhook: Webhook; readonly onClose: () => void };

const REFRESH = ["/api/webhooks"] as const;

export const WebhookActions = ({ webhook }: { readonly webhook: Webhook }) => {
  const [doing, setDoing] = useState<"change" | "rotate" | "remove" | null>(null);
  const change = useAct("PATCH /api/webhooks/:id", {
    refresh: REFRESH,
    done: webhook.active ? "Webhook paused." : "Webhook enabled.",
  });
  const close = () => setDoing(null);
  const turn = () => change.mutate({ params: { id: webhook.id }, body: { active: !webhook.active } });
  return (
    <>
      <Menu
        label="More actions"
        items={[
          { label: "Change…", icon: Pencil, onSelect: () => setDoing("change") },
          webhook.active
            ? { label: "Pause", icon: Pause, onSelect: turn }
            : { label: "Enable", icon: Play, onSelect: turn },
          { label: "New secret…", icon: KeyRound, onSelect: () => setDoing("rotate") },
          { label: "Remove…", icon: Trash2, danger: true, onSelect: () => setDoing("remove") },
        ]}
      />
      {doing === "change" && <WebhookForm webhook={webhook} onClose={close} />}
      {doing === "rotate" && <NewSecret webhook={webhook} onClose={close} />}
      {doing === "remove" && <RemoveWebhook webhook={webhook} onClose={close} />}
    </>
  );
};

const GRACES = [
  { value: "0", label: "At once" },
  { value: "3600", label: "After an hour" },
  { value: "86400", label: "After a day" },
  { value: "604800", label: "After a week" },
] as const;

const NewSecret = ({ webhook, onClose }: Part) => {
  const [grace, setGrace] = useState("86400");
  const [secret, setSecret] = useState<string | null>(null);
  const rotate = useAct("POST /api/webhooks/:id/rotate", {
    refresh: REFRESH,
    quiet: true,
    onDone: (made) => setSecret(made.secret),
  });
  if (secret !== null) return <SigningSecret secret={secret} onClose={onClose} />;
  return (
    <FormDialog
      onClose={onClose}
      title="New signing secret"
      hint="Messages are signed with both secrets until the old one expires."
      submit="Create"
      act={rotate}
      onSubmit={() => rotate.mutate({ params: { id: webhook.id }, body: { grace: Number(grace) } })}
    >
      <Select label="Old secret expires" value={grace} onValue={setGrace} choices={GRACES} />
    </FormDialog>
  );
};

const RemoveWebhook = ({ webhook, onClose }: Part) => {
  const navigate = useNavigate();
  const remove = useAct("DELETE /api/webhooks/:id", {
    done: "Webhook removed.",
    quiet: true,
    onDone: () => void navigate({ to: "/settings/webhooks" }),
  });
  return (
    <Confirm
      onClose={onClose}
      title="Remove webhook?"
      word="remove"
      submit="Remove"
      act={remove}
      onConfirm={() => remove.mutate({ params: { id: webhook.id } })}
    >
      Deletes the webhook {webhook.url} and its delivery log.
    </Confirm>
  );
};
