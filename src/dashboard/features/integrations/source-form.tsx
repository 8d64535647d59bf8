import { useState } from "react";
import type { AnswerTo } from "#dashboard/api/client";
import { AgentSelect, UserSelect } from "#dashboard/app/found";
import { CodeBlock } from "#dashboard/parts/copy";
import { Dialog, DialogEnd, FormDialog } from "#dashboard/parts/dialog";
import { Input, Select } from "#dashboard/parts/field";
import { useAct } from "#dashboard/parts/hooks";
import { SecretDialog } from "#dashboard/parts/secret-once";

const KINDS = [
  { value: "anthropic", label: "Anthropic inference hooks" },
  { value: "cursor", label: "Cursor inference hooks" },
  { value: "copilot-studio", label: "Copilot Studio" },
  { value: "litellm", label: "LiteLLM" },
] as const;
type Kind = (typeof KINDS)[number]["value"];

const REDACTS = [
  { value: "deny", label: "Deny" },
  { value: "allow", label: "Allow and flag" },
] as const;

/** Adds a source, whose secret is shown this once. */
export const SourceForm = ({ onClose }: { readonly onClose: () => void }) => {
  const [name, setName] = useState("");
  const [kind, setKind] = useState<Kind>("anthropic");
  const [agent, setAgent] = useState("");
  const [user, setUser] = useState("");
  const [redact, setRedact] = useState<"deny" | "allow">("deny");
  const [secret, setSecret] = useState("");
  const [made, setMade] = useState<AnswerTo<"POST /api/hook-sources"> | null>(null);
  const add = useAct("POST /api/hook-sources", { refresh: ["/api/hook-sources"], quiet: true, onDone: setMade });
  if (made) return <SourceMade source={made} onClose={onClose} />;
  const body = {
    ...{ name: name.trim(), kind, redact },
    ...(agent !== "" && { agent_id: agent }),
    ...(user !== "" && { user_id: user }),
    ...(secret !== "" && kind !== "litellm" && { secret: secret.trim() }),
  };
  return (
    <FormDialog wide onClose={onClose} title="Add source" submit="Add" act={add} onSubmit={() => add.mutate({ body })}>
      <Input
        label="Name"
        hint="Small letters, digits, dots and dashes."
        required
        pattern="[a-z0-9][a-z0-9._\-]{0,39}"
        value={name}
        onValue={setName}
      />
      <Select label="Kind" value={kind} onValue={setKind} choices={KINDS} />
      <AgentSelect
        label="Agent"
        hint="Its profile, limits and kill switches apply."
        none="None: each person's own policy"
        value={agent}
        onValue={setAgent}
      />
      <UserSelect
        label="User for unknown people"
        hint="Whose the calls of people are that the hub does not know."
        none="The agent's owner, or you"
        value={user}
        onValue={setUser}
      />
      <Select label="What would be redacted" value={redact} onValue={setRedact} choices={REDACTS} />
      {kind !== "litellm" && <SecretInput value={secret} onValue={setSecret} />}
    </FormDialog>
  );
};

/** Of the system, for a new source or in place of the one before. */
export const SecretInput = (of: { readonly value: string; readonly onValue: (value: string) => void }) => (
  <Input
    label="Secret"
    hint="The system's, where it makes one itself. Left empty, the hub makes it."
    type="password"
    autoComplete="off"
    {...of}
  />
);

/** The secret, if the hub has made it, and what is entered in the system. */
export const SourceMade = ({
  source,
  onClose,
}: {
  readonly source: AnswerTo<"POST /api/hook-sources">;
  readonly onClose: () => void;
}) => {
  const url = <CodeBlock label="URL of the source" text={source.url} />;
  const title = `Source ${source.name}`;
  if (source.secret === null) {
    return (
      <Dialog open title={title} onClose={onClose}>
        <div className="flex flex-col gap-4">
          <p>Enter this URL in the system. The secret is the one you gave.</p>
          {url}
          <DialogEnd onClose={onClose} done="Done" />
        </div>
      </Dialog>
    );
  }
  return (
    <SecretDialog
      title={title}
      onClose={onClose}
      before={url}
      label="Secret"
      secret={source.secret}
      note="Enter the URL above and this secret in the system. It cannot be shown again."
    />
  );
};
