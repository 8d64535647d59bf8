import { Plus } from "lucide-react";
import { COMMANDS } from "#core/command-line";
import { type ItemOf, useList } from "#dashboard/api/hooks";
import { useOpened } from "#dashboard/app/opened";
import { useHasRole } from "#dashboard/app/session";
import { SettingsPage } from "#dashboard/app/settings";
import { Button } from "#dashboard/parts/button";
import { Card } from "#dashboard/parts/card";
import { Chip, Tag } from "#dashboard/parts/chip";
import { HubCommand } from "#dashboard/parts/hub-command";
import { Empty } from "#dashboard/parts/states";
import { type Column, Table } from "#dashboard/parts/table";
import { ProviderActions } from "./provider-actions";
import { ProviderForm } from "./provider-form";

type Provider = ItemOf<"GET /api/providers">;

const COLUMNS: readonly Column<Provider>[] = [
  {
    name: "Provider",
    cell: ({ name, base_url, built_in }) => (
      <>
        <span className="block font-medium">
          {name} {built_in && <Chip tone="info">built in</Chip>}
        </span>
        <span className="block min-w-36 text-[13px] break-words text-muted">
          {base_url ?? "Says back what it was told; nothing leaves the hub."}
        </span>
      </>
    ),
  },
  {
    name: "Models",
    cell: ({ models }) => (
      <span className="flex max-w-md flex-wrap gap-1">
        {models.map((model) => (
          <Tag key={model}>{model}</Tag>
        ))}
      </span>
    ),
  },
  {
    name: "Key",
    cell: ({ has_key, built_in }) =>
      built_in ? (
        <span className="text-muted">not needed</span>
      ) : has_key ? (
        <Chip tone="ok">kept</Chip>
      ) : (
        <Chip>none</Chip>
      ),
    minor: true,
  },
  { name: "Order", cell: ({ priority, built_in }) => (built_in ? "last" : priority), align: "right", minor: true },
];

const ACTIONS: Column<Provider> = {
  name: "Actions",
  hidden: true,
  align: "right",
  cell: (item) => !item.built_in && <ProviderActions provider={item} />,
};

const ProvidersScreen = () => {
  const [adding, setAdding] = useOpened("new");
  const isAdmin = useHasRole("admin");
  const list = useList("GET /api/providers", {});
  const add = isAdmin && (
    <Button kind="primary" icon={Plus} onClick={() => setAdding(true)}>
      Add a provider
    </Button>
  );
  return (
    <SettingsPage
      title="Providers"
      hint="Where calls of models go. The first one whose models match is asked, lowest order first."
      actions={add}
    >
      <Card flush>
        <Table
          label="Providers"
          list={list}
          columns={isAdmin ? [...COLUMNS, ACTIONS] : COLUMNS}
          keyOf={({ id }) => id}
          empty={<Empty title="No providers yet." command={<HubCommand words={COMMANDS.addOpenAi()} />} action={add} />}
        />
      </Card>
      {isAdmin && adding && <ProviderForm onClose={() => setAdding(false)} />}
    </SettingsPage>
  );
};

export default ProvidersScreen;
