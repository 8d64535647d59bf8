import { Link2, UserCheck, UserCog, UserX } from "lucide-react";
import { useState } from "react";
import { Confirm, FormDialog } from "#dashboard/parts/dialog";
import { type ItemOf, useAct } from "#dashboard/parts/hooks";
import { Menu } from "#dashboard/parts/menu";
import { type InvitationData, InvitationLink, RoleSelect } from "./user-invite";

type User = ItemOf<"GET /api/users">;

/** What administrators do about somebody. */
export const UserActions = ({ user }: { readonly user: User }) => {
  const [doing, setDoing] = useState<"link" | "role" | "disable" | null>(null);
  const enable = useAct("PATCH /api/users/:id", { refresh: ["/api/users"], done: `${user.email} enabled.` });
  const isActive = user.state === "active";
  const close = () => setDoing(null);
  return (
    <>
      <Menu
        label={`Actions for ${user.email}`}
        items={[
          { label: "Change role…", icon: UserCog, onSelect: () => setDoing("role") },
          isActive && { label: "New invitation…", icon: Link2, onSelect: () => setDoing("link") },
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
    done: "Role changed.",
    close: onClose,
  });
  return (
    <FormDialog
      onClose={onClose}
      title={`Role of ${user.email}`}
      hint="In force from the next request on."
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
  const [made, setMade] = useState<InvitationData | null>(null);
  const invite = useAct("POST /api/users/:id/invitation", { quiet: true, onDone: setMade });
  if (made) return <InvitationLink made={made} onClose={onClose} />;
  return (
    <Confirm
      onClose={onClose}
      title={`New invitation for ${user.email}?`}
      submit="Create invitation"
      act={invite}
      onConfirm={() => invite.mutate({ params: { id: user.id } })}
    >
      For users who lost the last invitation or their password. The last link ends now; setting a password by the new
      one ends all their sessions.
    </Confirm>
  );
};

const DisableUser = ({ user, onClose }: Part) => {
  const disable = useAct("PATCH /api/users/:id", {
    refresh: ["/api/users"],
    done: `${user.email} disabled.`,
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
      All sessions and connected apps of the user are signed out at once, and the user's keys are refused until the user
      is enabled again.
    </Confirm>
  );
};
