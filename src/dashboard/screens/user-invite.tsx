import { type ReactNode, useState } from "react";
import type { Answer } from "#dashboard/api/client";
import { useAct } from "#dashboard/api/hooks";
import type { Role } from "#dashboard/app/session";
import { choicesOf } from "#dashboard/parts/chip";
import { FormDialog } from "#dashboard/parts/dialog";
import { Input, Select } from "#dashboard/parts/field";
import { SecretDialog } from "#dashboard/parts/secret-once";
import { Time } from "#dashboard/parts/time";

export type Invitation = Answer<"POST /api/users">;

/** What each role may do, in a sentence. */
export const ROLES: readonly (readonly [role: Role, what: string])[] = [
  ["member", "Owns agents and keys, and sees their calls."],
  [
    "analyst",
    "Sees everything that happens, decides on reports and on tool calls that wait, restricts agents for a day.",
  ],
  ["reviewer", "Sees everything that happens, and decides which agents may run and what holds for them."],
  ["auditor", "Sees everything, and changes nothing."],
  ["admin", "May do everything, users and settings too."],
];

export const RoleSelect = ({ value, onChange }: { readonly value: Role; readonly onChange: (role: Role) => void }) => (
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
  const [role, setRole] = useState<Role>("member");
  const [made, setMade] = useState<Invitation | null>(null);
  const invite = useAct("POST /api/users", { refresh: ["/api/users"], quiet: true, onDone: setMade });
  if (made) return <InvitationLink made={made} onClose={onClose} />;
  return (
    <FormDialog
      onClose={onClose}
      title="Invite somebody"
      hint="You get a link to hand over: the hub sends no mail."
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
  readonly made: Invitation;
  readonly children?: ReactNode;
  readonly onClose: () => void;
}) => (
  <SecretDialog
    title={`A link for ${made.user.name ?? made.user.email}`}
    onClose={onClose}
    before={children}
    label="The link"
    secret={made.link}
    note="Copy it now and send it to them: it cannot be shown again. Whoever opens it sets the password."
  >
    <p>
      It works once, until <Time at={made.expires_at} plain />.
    </p>
  </SecretDialog>
);
