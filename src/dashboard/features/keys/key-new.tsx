import { useState } from "react";
import type { AnswerTo } from "#dashboard/api/client";
import { AgentSelect } from "#dashboard/app/found";
import { useHasRole } from "#dashboard/app/session";
import { Dialog, DialogForm } from "#dashboard/parts/dialog";
import { Input, Select } from "#dashboard/parts/field";
import { useAct } from "#dashboard/parts/hooks";
import { SecretDialog } from "#dashboard/parts/secret-once";
import { KeySnippets } from "./key-snippets";

export type IssuedKey = AnswerTo<"POST /api/tokens">;

const EXPIRIES = [
  { value: "", label: "Never" },
  { value: "7", label: "In 7 days" },
  { value: "30", label: "In 30 days" },
  { value: "90", label: "In 90 days" },
  { value: "365", label: "In a year" },
] as const;

/** A key: for an agent, or for oneself; shown once. */
export const NewKey = ({
  agent,
  onClose,
  onMade,
}: {
  readonly agent?: string | undefined;
  readonly onClose: () => void;
  readonly onMade?: (key: IssuedKey) => void;
}) => {
  const [made, setMade] = useState<IssuedKey | null>(null);
  const onDone = (key: IssuedKey) => {
    onMade?.(key);
    setMade(key);
  };
  if (made) return <KeyResponse issued={made} title="Your new key" onClose={onClose} />;
  return (
    <Dialog open onClose={onClose} title="New key" hint="A gateway token: clients send it with every call.">
      <NewKeyForm agent={agent} onClose={onClose} onDone={onDone} />
    </Dialog>
  );
};

const NewKeyForm = ({
  agent,
  onClose,
  onDone,
}: {
  readonly agent: string | undefined;
  readonly onClose: () => void;
  readonly onDone: (key: IssuedKey) => void;
}) => {
  const [name, setName] = useState("");
  const [agentId, setAgentId] = useState(agent ?? "");
  const [days, setDays] = useState("90");
  const forAll = useHasRole("admin");
  const create = useAct("POST /api/tokens", { refresh: ["/api/tokens", "/api/agents"], quiet: true, onDone });
  return (
    <DialogForm
      submit="Create key"
      act={create}
      onCancel={onClose}
      onSubmit={() =>
        create.mutate({
          body: {
            ...(name.trim() ? { name: name.trim() } : {}),
            ...(agentId ? { agent_id: agentId } : {}),
            ...(days ? { expires_in_days: Number(days) } : {}),
          },
        })
      }
    >
      <Input
        label="Name"
        hint="Where the key is used, such as laptop or staging."
        maxLength={100}
        value={name}
        onValue={setName}
      />
      <AgentSelect
        label="Agent"
        hint="Calls with the key count as the agent's, and the agent's profile applies. Without an agent they count as yours."
        none="None: personal key"
        isOwn={!forAll}
        may={({ lifecycle }) => lifecycle !== "retired"}
        value={agentId}
        onValue={setAgentId}
      />
      <Select label="Expires" value={days} onValue={setDays} choices={EXPIRIES} />
    </DialogForm>
  );
};

/** The one time a key is shown, with what to do with it. */
export const KeyResponse = ({
  issued,
  title,
  children,
  onClose,
}: {
  readonly issued: { readonly token: string };
  readonly title: string;
  readonly children?: React.ReactNode;
  readonly onClose: () => void;
}) => (
  <SecretDialog
    wide
    title={title}
    onClose={onClose}
    label="The key"
    secret={issued.token}
    note="Copy the key now: the hub stores only a hash and cannot show it again."
  >
    {children}
    <KeySnippets token={issued.token} />
  </SecretDialog>
);
