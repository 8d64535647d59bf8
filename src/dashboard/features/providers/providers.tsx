import { Plus } from "lucide-react";
import { COMMANDS } from "#core/command-line";
import { useHasRole } from "#dashboard/app/session";
import { SettingsPage } from "#dashboard/app/settings";
import { Button } from "#dashboard/parts/button";
import { Card } from "#dashboard/parts/card";
import { Chip, Tag } from "#dashboard/parts/chip";
import { HubCommand } from "#dashboard/parts/copy";
import { useOpened } from "#dashboard/parts/filters";
import { type ItemOf, useList } from "#dashboard/parts/hooks";
import { Empty } from "#dashboard/parts/states";
import { type Column, Table } from "#dashboard/parts/table";
import { ProviderActions } from "./provider-actions";
import { ProviderForm } from "./provider-form";

type Provider = ItemOf<"GET /api/providers">;

/** Why a provider is asked after all others. */
const BREAKER_CAUSES = { auth: "key refused", server: "failing", connection: "unreachable" } as const;

const COLUMNS: readonly Column<Provider>[] = [
  {
    name: "Provider",
    cell: ({ name, base_url, built_in, kind, breaker }) => (
      <>
        <span className="block font-medium">
          {name} {built_in ? <Chip tone="info">built in</Chip> : kind !== "openai" && <Tag>{kind}</Tag>}{" "}
          {breaker.state !== "closed" && <Chip tone="bad">{BREAKER_CAUSES[breaker.cause ?? "server"]}</Chip>}
        </span>
        <span className="block min-w-36 text-[13px] break-words text-muted">
          {base_url ?? "Repeats its input; nothing leaves the hub."}
        </span>
      </>
    ),
  },
  {
    name: "Models",
    cell: ({ models, aliases }) => (
      <span className="flex max-w-md flex-wrap gap-1">
        {models.map((model) => (
          <Tag key={model}>{model}</Tag>
        ))}
        {Object.entries(aliases).map(([asked, upstream]) => (
          <Tag key={asked}>
            {asked} → {upstream}
          </Tag>
        ))}
      </span>
    ),
  },
  { name: "APIs", cell: ({ apis }) => <span className="text-[13px] text-muted">{apis.join(", ")}</span>, minor: true },
  {
    name: "Key",
    cell: ({ has_key, built_in, credential }) =>
      built_in ? (
        <span className="text-muted">not needed</span>
      ) : credential.source !== "key" ? (
        <Chip tone="ok">{credential.source}</Chip>
      ) : has_key ? (
        <Chip tone="ok">set</Chip>
      ) : (
        <Chip>none</Chip>
      ),
    minor: true,
  },
  { name: "Priority", cell: ({ priority, built_in }) => (built_in ? "last" : priority), align: "right", minor: true },
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
      Add provider
    </Button>
  );
  return (
    <SettingsPage title="Providers" hint="Targets of model calls. First match by priority, lowest first." actions={add}>
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
