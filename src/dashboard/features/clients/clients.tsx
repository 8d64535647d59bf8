import { useState } from "react";
import { useHasRole } from "#dashboard/app/session";
import { Button } from "#dashboard/parts/button";
import { Card } from "#dashboard/parts/card";
import { Chip, StateChip } from "#dashboard/parts/chip";
import { Confirm } from "#dashboard/parts/dialog";
import { useAct, useList } from "#dashboard/parts/hooks";
import { Menu } from "#dashboard/parts/menu";
import { Page } from "#dashboard/parts/page";
import { Empty } from "#dashboard/parts/states";
import { type Column, Table } from "#dashboard/parts/table";
import { Time } from "#dashboard/parts/time";
import { AllowTools, type ConnectedApp } from "./client-allow";
import { Allowed, CLIENT_TABS, CLIENTS_HINT, ClientName, ReturnsTo } from "./client-cells";
import { ConnectClient } from "./client-connect";

const Connected = ({ client: { state, connected } }: { readonly client: ConnectedApp }) => {
  if (state === "disabled") return <StateChip of="disabled" />;
  return connected ? <Chip tone="ok">connected</Chip> : <Chip>signed out</Chip>;
};

const columnsOf = (
  allow: (client: ConnectedApp) => void,
  disconnect: (client: ConnectedApp) => void,
): readonly Column<ConnectedApp>[] => [
  { name: "App", cell: (client) => <ClientName client={client} /> },
  { name: "State", cell: (client) => <Connected client={client} /> },
  { name: "May use", cell: ({ tools }) => <Allowed tools={tools} /> },
  { name: "Redirect target", cell: (client) => <ReturnsTo client={client} />, minor: true },
  { name: "Authorized", cell: ({ consented_at }) => <Time at={consented_at} />, minor: true },
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
          label={`More actions for ${client.name ?? "this app"}`}
          items={[{ label: "Disconnect", danger: true, onSelect: () => disconnect(client) }]}
        />
      </span>
    ),
  },
];

const ClientsScreen = () => {
  const [allowing, setAllowing] = useState<ConnectedApp | null>(null);
  const [leaving, setLeaving] = useState<ConnectedApp | null>(null);
  const isAdmin = useHasRole("admin");
  const list = useList("GET /api/oauth/clients", { query: {} });
  return (
    <Page title="Connected apps" hint={CLIENTS_HINT} {...(isAdmin ? { tabs: CLIENT_TABS } : {})}>
      <Card title="Connected apps (OAuth)" hint="Each app can call only the tools you chose, on your behalf." flush>
        <Table
          label="Connected apps (OAuth)"
          list={list}
          columns={columnsOf(setAllowing, setLeaving)}
          keyOf={({ id }) => id}
          empty={<Empty title="No connected apps yet.">Connect one as described below.</Empty>}
        />
      </Card>
      <ConnectClient />
      {allowing && <AllowTools client={allowing} onClose={() => setAllowing(null)} />}
      {leaving && <Disconnect client={leaving} onClose={() => setLeaving(null)} />}
    </Page>
  );
};

const Disconnect = ({ client, onClose }: { readonly client: ConnectedApp; readonly onClose: () => void }) => {
  const revoke = useAct("DELETE /api/oauth/clients/:id", {
    refresh: ["/api/oauth"],
    done: "App disconnected.",
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
      <p>All tokens of the app end at once. The app can request access again.</p>
    </Confirm>
  );
};

export default ClientsScreen;
