import { Link } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { type ReactNode, useState } from "react";
import { COMMANDS } from "#core/command-line";
import { type ItemOf, useList } from "#dashboard/api/hooks";
import { FirstSteps } from "#dashboard/app/first-steps";
import { useOpened } from "#dashboard/app/opened";
import { useHasRole, useMakes, useMe } from "#dashboard/app/session";
import { SettingsPage } from "#dashboard/app/settings";
import { Button } from "#dashboard/parts/button";
import { Card } from "#dashboard/parts/card";
import { choicesOf, StateChip } from "#dashboard/parts/chip";
import { FilterBar, FilterChoice, FilterText, useFilters } from "#dashboard/parts/filters";
import { Halted } from "#dashboard/parts/halted";
import { HubCommand } from "#dashboard/parts/hub-command";
import { Empty } from "#dashboard/parts/states";
import { type Column, Table } from "#dashboard/parts/table";
import { Time } from "#dashboard/parts/time";
import { AgentFilter } from "./agent-filter";
import { type Acting, KeyActions, KeyDialog } from "./key-actions";
import { NewKey } from "./key-new";
import { KeySnippets } from "./key-snippets";

type Key = ItemOf<"GET /api/tokens">;

const HOLDER: Column<Key> = { name: "Holder", cell: ({ user }) => user.email, minor: true };

const columnsFor = (all: boolean, actionsOf: (key: Key) => ReactNode): readonly Column<Key>[] => [
  {
    name: "Key",
    cell: ({ name, display }) => (
      <>
        <span className="block font-medium">{name ?? <span className="text-muted">no name</span>}</span>
        <code className="font-mono text-xs whitespace-nowrap text-muted">{display}</code>
      </>
    ),
  },
  {
    name: "Agent",
    cell: ({ agent }) =>
      agent ? (
        <Link to={`/agents/${agent.id}`} className="hover:underline">
          {agent.name}
        </Link>
      ) : (
        <span className="text-muted">none</span>
      ),
  },
  ...(all ? [HOLDER] : []),
  {
    name: "State",
    cell: ({ state, disabled }) => (
      <>
        <StateChip of={state} />
        <Halted halt={disabled} act="enable" />
      </>
    ),
  },
  { name: "Last used", cell: ({ last_used_at }) => <Time at={last_used_at} /> },
  { name: "Expires", cell: ({ expires_at }) => <Time at={expires_at} />, minor: true },
  { name: "Made", cell: ({ created_at }) => <Time at={created_at} />, minor: true },
  { name: "Actions", hidden: true, align: "right", cell: actionsOf },
];

const STATES = ["active", "disabled", "expired", "revoked", "rotated"];

const KeysScreen = () => {
  const [adding, setAdding] = useOpened("new");
  const [acting, setActing] = useState<Acting | null>(null);
  const { user } = useMe();
  const maySeeAll = useHasRole("admin", "auditor");
  const isAdmin = useHasRole("admin");
  const { values, filter, clear, active } = useFilters(["q", "state", "agent", "whose"]);
  const all = maySeeAll && values.whose !== "mine";
  const list = useList("GET /api/tokens", {
    query: { state: values.state, agent_id: values.agent, ...(all ? { all: "true" } : {}) },
  });
  const words = values.q?.toLowerCase() ?? "";
  const items = list.items.filter(({ name, display, agent, user: holder }) =>
    `${name ?? ""} ${display} ${agent?.name ?? ""} ${holder.email}`.toLowerCase().includes(words),
  );
  const makes = useMakes();
  const add = makes && (
    <Button kind="primary" icon={Plus} onClick={() => setAdding(true)}>
      New key
    </Button>
  );
  return (
    <SettingsPage
      title="Keys"
      hint="Programs and agents call the hub with a key. Each is shown once, and can be shut out at any time."
      actions={add}
    >
      <FirstSteps />
      <Card flush>
        <FilterBar>
          <FilterText label="Name, agent or holder" {...filter("q")} />
          <FilterChoice label="State" {...filter("state")} choices={choicesOf(STATES)} />
          <AgentFilter {...filter("agent")} />
          {maySeeAll && (
            <FilterChoice
              label="Whose"
              required
              {...filter("whose")}
              choices={[
                { value: "", label: "Whose: everybody's" },
                { value: "mine", label: "Whose: mine" },
              ]}
            />
          )}
        </FilterBar>
        <Table
          label="Keys"
          list={{ ...list, items }}
          columns={columnsFor(
            all,
            (item) =>
              (isAdmin || item.user.id === user.id) && (
                <KeyActions item={item} onDo={(doing) => setActing({ doing, item })} />
              ),
          )}
          keyOf={({ id }) => id}
          filters={{ active, clear }}
          empty={
            makes ? (
              <Empty
                title="No keys yet."
                command={<HubCommand words={COMMANDS.createToken(user.email)} />}
                action={add}
              >
                Make one for a program of yours or for an agent.
              </Empty>
            ) : (
              <Empty title="No keys yet." />
            )
          }
        />
      </Card>
      {makes && (
        <Card title="Using a key" hint="The hub speaks the protocol of OpenAI's interface, and MCP for tools.">
          <KeySnippets />
        </Card>
      )}
      {acting && <KeyDialog {...acting} onClose={() => setActing(null)} />}
      {adding && makes && <NewKey agent={values.agent} onClose={() => setAdding(false)} />}
    </SettingsPage>
  );
};

export default KeysScreen;
