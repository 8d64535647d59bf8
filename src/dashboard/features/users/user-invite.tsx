import { type ReactNode, useState } from "react";
import type { AnswerTo } from "#dashboard/api/client";
import type { UserRole } from "#dashboard/app/session";
import { choicesOf } from "#dashboard/parts/chip";
import { FormDialog } from "#dashboard/parts/dialog";
import { Input, Select } from "#dashboard/parts/field";
import { useAct } from "#dashboard/parts/hooks";
import { SecretDialog } from "#dashboard/parts/secret-once";
import { Time } from "#dashboard/parts/time";

export type InvitationData = AnswerTo<"POST /api/users">;

/** What each role may do, in a sentence. */
export const ROLES: readonly (readonly [role: UserRole, what: string])[] = [
  ["member", "Owns agents and keys, and sees their calls."],
  ["analyst", "Sees all activity, decides reports and held calls, restricts agents for up to a day."],
  ["reviewer", "Sees all activity, decides reviews and policies of agents."],
  ["auditor", "Read-only access to everything."],
  ["admin", "Full access, including users and settings."],
];

export const RoleSelect = ({
  value,
  onChange,
}: {
  readonly value: UserRole;
  readonly onChange: (role: UserRole) => void;
}) => (
  <Select
    label="Role"
    hint={ROLES.find(([role]) => role === value)?.[1]}
    value={value}
    onValue={onChange}
    choices={choicesOf(ROLES.map(([role]) => role))}
  />
);

export const InviteUser = ({ onClose }: { readonly onClose: () => void }) => {
  const [email, setEmail] = useState("");
  const [name, setName] = useState("");
  const [role, setRole] = useState<UserRole>("member");
  const [made, setMade] = useState<InvitationData | null>(null);
  const invite = useAct("POST /api/users", { refresh: ["/api/users"], quiet: true, onDone: setMade });
  if (made) return <InvitationLink made={made} onClose={onClose} />;
  return (
    <FormDialog
      onClose={onClose}
      title="Invite user"
      hint="Creates a link for you to send: the hub sends no e-mail."
      submit="Invite"
      act={invite}
      onSubmit={() =>
        invite.mutate({ body: { email: email.trim(), role, ...(name.trim() ? { name: name.trim() } : {}) } })
      }
    >
      <Input label="E-mail" type="email" required value={email} onValue={setEmail} />
      <Input label="Name" maxLength={100} value={name} onValue={setName} />
      <RoleSelect value={role} onChange={setRole} />
    </FormDialog>
  );
};

/** The one time a link is shown. */
export const InvitationLink = ({
  made,
  children,
  onClose,
}: {
  readonly made: InvitationData;
  readonly children?: ReactNode;
  readonly onClose: () => void;
}) => (
  <SecretDialog
    title={`Invitation for ${made.user.name ?? made.user.email}`}
    onClose={onClose}
    before={children}
    label="Invitation link"
    secret={made.link}
    note="Copy the link now: it cannot be shown again. Anyone with the link can set the password."
  >
    <p>
      It works once, until <Time at={made.expires_at} plain />.
    </p>
  </SecretDialog>
);
