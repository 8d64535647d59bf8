import { useState } from "react";
import { useAct, useList } from "#dashboard/api/hooks";
import { useHasRole } from "#dashboard/app/session";
import { Button } from "#dashboard/parts/button";
import { Card } from "#dashboard/parts/card";
import { Chip, StateChip } from "#dashboard/parts/chip";
import { Confirm } from "#dashboard/parts/dialog";
import { Menu } from "#dashboard/parts/menu";
import { Page } from "#dashboard/parts/page";
import { Empty } from "#dashboard/parts/states";
import { type Column, Table } from "#dashboard/parts/table";
import { Time } from "#dashboard/parts/time";
import { AllowTools, type Client } from "./client-allow";
import { Allowed, CLIENT_TABS, CLIENTS_HINT, ClientName, ReturnsTo } from "./client-cells";
import { ConnectClient } from "./client-connect";

const Connected = ({ client: { state, connected } }: { readonly client: Client }) => {
  if (state === "disabled") return <StateChip of="disabled" />;
  return connected ? <Chip tone="ok">connected</Chip> : <Chip>signed out</Chip>;
};

const columnsOf = (
  allow: (client: Client) => void,
  disconnect: (client: Client) => void,
): readonly Column<Client>[] => [
  { name: "Calls itself", cell: (client) => <ClientName client={client} /> },
  { name: "State", cell: (client) => <Connected client={client} /> },
  { name: "May use", cell: ({ tools }) => <Allowed tools={tools} /> },
  { name: "Returns to", cell: (client) => <ReturnsTo client={client} />, minor: true },
  { name: "Let in", cell: ({ consented_at }) => <Time at={consented_at} />, minor: true },
  {
    name: "Actions",
    hidden: true,
    align: "right",
    cell: (client) => (
      <span className="inline-flex items-center gap-1">
        <Button small onClick={() => allow(client)}>
          Change tools
        </Button>
        <Menu
          label={`More of ${client.name ?? "this client"}`}
          items={[{ label: "Disconnect", danger: true, onSelect: () => disconnect(client) }]}
        />
      </span>
    ),
  },
];

const ClientsScreen = () => {
  const [allowing, setAllowing] = useState<Client | null>(null);
  const [leaving, setLeaving] = useState<Client | null>(null);
  const isAdmin = useHasRole("admin");
  const list = useList("GET /api/oauth/clients", { query: {} });
  return (
    <Page title="Clients" hint={CLIENTS_HINT} {...(isAdmin ? { tabs: CLIENT_TABS } : {})}>
      <Card title="Programs you let in" hint="Each uses only the tools you chose for it, in your name." flush>
        <Table
          label="Programs you let in"
          list={list}
          columns={columnsOf(setAllowing, setLeaving)}
          keyOf={({ id }) => id}
          empty={<Empty title="You have let no program in yet.">Connect one as it stands below.</Empty>}
        />
      </Card>
      <ConnectClient />
      {allowing && <AllowTools client={allowing} onClose={() => setAllowing(null)} />}
      {leaving && <Disconnect client={leaving} onClose={() => setLeaving(null)} />}
    </Page>
  );
};

const Disconnect = ({ client, onClose }: { readonly client: Client; readonly onClose: () => void }) => {
  const revoke = useAct("DELETE /api/oauth/clients/:id", {
    refresh: ["/api/oauth"],
    done: "Disconnected.",
    close: onClose,
  });
  return (
    <Confirm
      onClose={onClose}
      title={`Disconnect “${client.name ?? "unnamed"}”?`}
      word="disconnect"
      submit="Disconnect"
      act={revoke}
      onConfirm={() => revoke.mutate({ params: { id: client.id } })}
    >
      <p>All its tokens end at once. It may ask you to let it in again.</p>
    </Confirm>
  );
};

export default ClientsScreen;
