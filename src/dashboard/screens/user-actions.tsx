import { Link2, UserCheck, UserCog, UserX } from "lucide-react";
import { useState } from "react";
import { type ItemOf, useAct } from "#dashboard/api/hooks";
import { Confirm, FormDialog } from "#dashboard/parts/dialog";
import { Menu } from "#dashboard/parts/menu";
import { type Invitation, InvitationLink, RoleSelect } from "./user-invite";

type User = ItemOf<"GET /api/users">;

/** What administrators do about somebody. */
export const UserActions = ({ user }: { readonly user: User }) => {
  const [doing, setDoing] = useState<"link" | "role" | "disable" | null>(null);
  const enable = useAct("PATCH /api/users/:id", { refresh: ["/api/users"], done: `${user.email} may sign in again.` });
  const isActive = user.state === "active";
  const close = () => setDoing(null);
  return (
    <>
      <Menu
        label={`What to do about ${user.email}`}
        items={[
          { label: "Change the role…", icon: UserCog, onSelect: () => setDoing("role") },
          isActive && { label: "New link…", icon: Link2, onSelect: () => setDoing("link") },
          isActive
            ? { label: "Disable…", icon: UserX, danger: true, onSelect: () => setDoing("disable") }
            : {
                label: "Enable",
                icon: UserCheck,
                onSelect: () => enable.mutate({ params: { id: user.id }, body: { state: "active" } }),
              },
        ]}
      />
      {doing === "role" && <ChangeRole user={user} onClose={close} />}
      {doing === "link" && <NewLink user={user} onClose={close} />}
      {doing === "disable" && <DisableUser user={user} onClose={close} />}
    </>
  );
};

type Part = { readonly user: User; readonly onClose: () => void };

const ChangeRole = ({ user, onClose }: Part) => {
  const [role, setRole] = useState(user.role);
  const change = useAct("PATCH /api/users/:id", {
    refresh: ["/api/users", "/api/me"],
    done: "The role is changed.",
    close: onClose,
  });
  return (
    <FormDialog
      onClose={onClose}
      title={`The role of ${user.email}`}
      hint="It holds from the next request on."
      submit="Change"
      act={change}
      disabled={role === user.role}
      onSubmit={() => change.mutate({ params: { id: user.id }, body: { role } })}
    >
      <RoleSelect value={role} onChange={setRole} />
    </FormDialog>
  );
};

const NewLink = ({ user, onClose }: Part) => {
  const [made, setMade] = useState<Invitation | null>(null);
  const invite = useAct("POST /api/users/:id/invitation", { quiet: true, onDone: setMade });
  if (made) return <InvitationLink made={made} onClose={onClose} />;
  return (
    <Confirm
      onClose={onClose}
      title={`A new link for ${user.email}?`}
      submit="Make the link"
      act={invite}
      onConfirm={() => invite.mutate({ params: { id: user.id } })}
    >
      For whoever has lost the last one, or the password. The last link ends now; setting a password by the new one ends
      all their sessions.
    </Confirm>
  );
};

const DisableUser = ({ user, onClose }: Part) => {
  const disable = useAct("PATCH /api/users/:id", {
    refresh: ["/api/users"],
    done: `${user.email} is disabled.`,
    close: onClose,
  });
  return (
    <Confirm
      onClose={onClose}
      title={`Disable ${user.email}?`}
      word={user.email}
      submit="Disable"
      act={disable}
      onConfirm={() => disable.mutate({ params: { id: user.id }, body: { state: "disabled" } })}
    >
      They are out with their next request: browsers and connected programs have to sign in anew, and their keys rest
      until they are enabled again.
    </Confirm>
  );
};
