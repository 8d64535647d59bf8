import { UserPlus } from "lucide-react";
import { useHasRole, useMe } from "#dashboard/app/session";
import { SettingsPage } from "#dashboard/app/settings";
import { Button } from "#dashboard/parts/button";
import { Card } from "#dashboard/parts/card";
import { choicesOf, StateChip, Tag } from "#dashboard/parts/chip";
import { FilterBar, FilterChoice, FilterText, useFilters, useOpened } from "#dashboard/parts/filters";
import { type ItemOf, useList } from "#dashboard/parts/hooks";
import { Empty } from "#dashboard/parts/states";
import { type Column, Table } from "#dashboard/parts/table";
import { Time } from "#dashboard/parts/time";
import { UserActions } from "./user-actions";
import { InviteUser, ROLES } from "./user-invite";

type User = ItemOf<"GET /api/users">;

const columnsFor = (me: string, mayChange: boolean): readonly Column<User>[] => [
  {
    name: "User",
    cell: ({ id, email, name }) => (
      <>
        <span className="block font-medium">
          {name ?? email}
          {id === me && <span className="text-muted"> (you)</span>}
        </span>
        {name && <span className="block text-[13px] text-muted">{email}</span>}
      </>
    ),
  },
  { name: "Role", cell: ({ role }) => <Tag>{role}</Tag> },
  { name: "State", cell: ({ state }) => <StateChip of={state} /> },
  { name: "Created", cell: ({ created_at }) => <Time at={created_at} />, minor: true },
  ...(mayChange
    ? [
        {
          name: "Actions",
          hidden: true,
          align: "right",
          cell: (item) => <UserActions user={item} />,
        } satisfies Column<User>,
      ]
    : []),
];

const UsersScreen = () => {
  const [inviting, setInviting] = useOpened("new");
  const me = useMe().user.id;
  const isAdmin = useHasRole("admin");
  const { values, filter, clear, active } = useFilters(["q", "role", "state"]);
  const list = useList("GET /api/users", { query: { limit: "200", ...(values.q && { q: values.q }) } });
  const items = list.items.filter(
    ({ role, state }) => (!values.role || values.role === role) && (!values.state || values.state === state),
  );
  const invite = isAdmin && (
    <Button kind="primary" icon={UserPlus} onClick={() => setInviting(true)}>
      Invite user
    </Button>
  );
  return (
    <SettingsPage title="Users" hint="User accounts and roles." actions={invite}>
      <Card flush>
        <FilterBar>
          <FilterText label="Name or e-mail" {...filter("q")} />
          <FilterChoice label="Role" {...filter("role")} choices={choicesOf(ROLES.map(([role]) => role))} />
          <FilterChoice label="State" {...filter("state")} choices={choicesOf(["active", "disabled"])} />
        </FilterBar>
        <Table
          label="Users"
          list={{ ...list, items }}
          columns={columnsFor(me, isAdmin)}
          keyOf={({ id }) => id}
          filters={{ active, clear }}
          empty={<Empty title="No users yet." action={invite} />}
        />
      </Card>
      <Card title="Roles">
        <dl className="grid grid-cols-[6rem_1fr] gap-x-4 gap-y-2">
          {ROLES.map(([role, what]) => (
            <div key={role} className="contents">
              <dt>
                <Tag>{role}</Tag>
              </dt>
              <dd>{what}</dd>
            </div>
          ))}
        </dl>
      </Card>
      {isAdmin && inviting && <InviteUser onClose={() => setInviting(false)} />}
    </SettingsPage>
  );
};

export default UsersScreen;
