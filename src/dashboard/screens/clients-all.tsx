import { useState } from "react";
import { type ItemOf, useAct, useGet, useList } from "#dashboard/api/hooks";
import { Button } from "#dashboard/parts/button";
import { Card } from "#dashboard/parts/card";
import { StateChip } from "#dashboard/parts/chip";
import { Confirm } from "#dashboard/parts/dialog";
import { Page } from "#dashboard/parts/page";
import { Empty } from "#dashboard/parts/states";
import { type Column, Table } from "#dashboard/parts/table";
import { Time } from "#dashboard/parts/time";
import { Allowed, CLIENT_TABS, CLIENTS_HINT, ClientName, ReturnsTo } from "./client-cells";

type Client = ItemOf<"GET /api/oauth/all-clients">;

const columnsOf = (emailOf: (id: string) => string, turn: (client: Client) => void): readonly Column<Client>[] => [
  { name: "Calls itself", cell: (client) => <ClientName client={client} /> },
  { name: "State", cell: ({ state }) => <StateChip of={state} /> },
  {
    name: "Let in by",
    cell: ({ users }) =>
      users.length === 0 ? (
        <span className="text-muted">nobody</span>
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
  { name: "Returns to", cell: (client) => <ReturnsTo client={client} />, minor: true },
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
    <Page title="All clients" hint={CLIENTS_HINT} tabs={CLIENT_TABS}>
      <Card flush>
        <Table
          label="All clients"
          list={list}
          columns={columnsOf(emailOf, setTurning)}
          keyOf={({ id }) => id}
          empty={
            <Empty title="No program has registered yet.">Those that nobody lets in are forgotten after a day.</Empty>
          }
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
    done: isActive ? "Disabled for everybody." : "Enabled.",
    close: onClose,
  });
  return (
    <Confirm
      onClose={onClose}
      title={`${isActive ? "Disable" : "Enable"} “${client.name ?? "unnamed"}” for everybody?`}
      {...(isActive ? { word: "disable" } : {})}
      submit={isActive ? "Disable" : "Enable"}
      act={change}
      onConfirm={() => change.mutate({ params: { id: client.id }, body: { disabled: isActive } })}
    >
      <p>
        {isActive
          ? "It is refused from its next request on, whoever let it in, and nobody can let it in again until it is enabled."
          : "Those who let it in may use it again; it may have to sign in anew."}
      </p>
    </Confirm>
  );
};

export default AllClientsScreen;
