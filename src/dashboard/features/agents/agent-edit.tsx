import { useState } from "react";
import type { AnswerTo } from "#dashboard/api/client";
import { useHasRole } from "#dashboard/app/session";
import { FormDialog } from "#dashboard/parts/dialog";
import { Input, TextArea } from "#dashboard/parts/field";
import { useAct } from "#dashboard/parts/hooks";

type Agent = AnswerTo<"GET /api/agents/:id">;

const factsOf = (agent: Agent) => ({
  name: agent.name,
  description: agent.description ?? "",
  environment: agent.environment ?? "",
  sponsor: agent.sponsor ?? "",
  owner: agent.owner,
});

/** What is on record about an agent. Only what was changed is sent. */
export const EditAgent = ({ agent, onClose }: { readonly agent: Agent; readonly onClose: () => void }) => {
  // As it was when the dialog was opened: what somebody else changes meanwhile is not changed back.
  const [before] = useState(() => factsOf(agent));
  const [now, setNow] = useState(before);
  const isAdmin = useHasRole("admin");
  const act = useAct("PATCH /api/agents/:id", {
    refresh: ["/api/agents"],
    done: "Saved.",
    close: onClose,
  });
  const field = (name: keyof typeof now) => ({
    value: now[name],
    onValue: (value: string) => setNow({ ...now, [name]: value }),
  });
  const isChanged = (name: keyof typeof now) => now[name].trim() !== before[name];
  const body = {
    ...(isChanged("name") && { name: now.name.trim() }),
    ...(isChanged("description") && { description: now.description.trim() || null }),
    ...(isChanged("environment") && { environment: now.environment.trim() || null }),
    ...(isChanged("sponsor") && { sponsor: now.sponsor.trim() || null }),
    ...(isChanged("owner") && { owner: now.owner.trim() }),
  };
  return (
    <FormDialog
      onClose={onClose}
      title={`Edit ${agent.name}`}
      submit="Save"
      act={act}
      disabled={Object.keys(body).length === 0}
      onSubmit={() => act.mutate({ params: { id: agent.id }, body })}
    >
      <Input label="Name" hint="Unique per owner; spaces are allowed." required maxLength={100} {...field("name")} />
      <TextArea label="Description" maxLength={2_000} {...field("description")} />
      <Input label="Environment" hint="Such as production or staging." maxLength={100} {...field("environment")} />
      <Input
        label="Sponsor"
        type="email"
        hint="E-mail address of the person responsible when the owner leaves. Not the owner."
        {...field("sponsor")}
      />
      {isAdmin && (
        <Input
          label="Owner"
          type="email"
          required
          hint="A change of owner revokes the agent's keys, unassigns its tools, and requires a review within 30 days."
          {...field("owner")}
        />
      )}
    </FormDialog>
  );
};
