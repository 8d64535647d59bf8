import { useState } from "react";
import { Button } from "#dashboard/parts/button";
import { Card } from "#dashboard/parts/card";
import { StateChip } from "#dashboard/parts/chip";
import { Confirm } from "#dashboard/parts/dialog";
import { type ItemOf, useAct, useGet, useList } from "#dashboard/parts/hooks";
import { Page } from "#dashboard/parts/page";
import { Empty } from "#dashboard/parts/states";
import { type Column, Table } from "#dashboard/parts/table";
import { Time } from "#dashboard/parts/time";
import { Allowed, CLIENT_TABS, CLIENTS_HINT, ClientName, ReturnsTo } from "./client-cells";

type Client = ItemOf<"GET /api/oauth/all-clients">;

const columnsOf = (emailOf: (id: string) => string, turn: (client: Client) => void): readonly Column<Client>[] => [
  { name: "App", cell: (client) => <ClientName client={client} /> },
  { name: "State", cell: ({ state }) => <StateChip of={state} /> },
  {
    name: "Authorized by",
    cell: ({ users }) =>
      users.length === 0 ? (
        <span className="text-muted">none</span>
      ) : (
        <ul className="flex flex-col gap-1">
          {users.map(({ user_id, tools, connected }) => (
            <li key={user_id} className="flex flex-wrap items-center gap-1.5">
              {emailOf(user_id)} <span className="text-muted">{connected ? "may use" : "signed out; may use"}</span>
              <Allowed tools={tools} />
            </li>
          ))}
        </ul>
      ),
  },
  { name: "Redirect target", cell: (client) => <ReturnsTo client={client} />, minor: true },
  { name: "Registered", cell: ({ created_at }) => <Time at={created_at} />, minor: true },
  {
    name: "Actions",
    hidden: true,
    align: "right",
    cell: (client) => (
      <Button small kind={client.state === "active" ? "danger" : "plain"} onClick={() => turn(client)}>
        {client.state === "active" ? "Disable" : "Enable"}
      </Button>
    ),
  },
];

/** Every client, for administrators. */
const AllClientsScreen = () => {
  const [turning, setTurning] = useState<Client | null>(null);
  const list = useList("GET /api/oauth/all-clients", { query: {} });
  const users = useGet("GET /api/users", { query: { limit: "200" } });
  const emailOf = (id: string): string => users.data?.data.find((user) => user.id === id)?.email ?? id;
  return (
    <Page title="Connected apps" hint={CLIENTS_HINT} tabs={CLIENT_TABS}>
      <Card flush>
        <Table
          label="Connected apps of all users"
          list={list}
          columns={columnsOf(emailOf, setTurning)}
          keyOf={({ id }) => id}
          empty={<Empty title="No apps registered yet.">Apps that nobody authorizes are deleted after a day.</Empty>}
        />
      </Card>
      {turning && <Turn client={turning} onClose={() => setTurning(null)} />}
    </Page>
  );
};

const Turn = ({ client, onClose }: { readonly client: Client; readonly onClose: () => void }) => {
  const isActive = client.state === "active";
  const change = useAct("PATCH /api/oauth/all-clients/:id", {
    refresh: ["/api/oauth"],
    done: isActive ? "App disabled for all users." : "App enabled.",
    close: onClose,
  });
  return (
    <Confirm
      onClose={onClose}
      title={`${isActive ? "Disable" : "Enable"} “${client.name ?? "unnamed"}” for all users?`}
      {...(isActive ? { word: "disable" } : {})}
      submit={isActive ? "Disable" : "Enable"}
      act={change}
      onConfirm={() => change.mutate({ params: { id: client.id }, body: { disabled: isActive } })}
    >
      <p>
        {isActive
          ? "All requests of the app are refused and nobody can authorize it until it is enabled."
          : "Users who authorized the app can use it again; they may have to sign in again."}
      </p>
    </Confirm>
  );
};

export default AllClientsScreen;
