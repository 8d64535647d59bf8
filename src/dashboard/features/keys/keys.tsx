import { Link } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { type ReactNode, useState } from "react";
import { COMMANDS } from "#core/command-line";
import { AgentFilter } from "#dashboard/app/found";
import { useHasRole, useMakes, useMe } from "#dashboard/app/session";
import { SettingsPage } from "#dashboard/app/settings";
import { FirstSteps } from "#dashboard/features/keys/first-steps";
import { Button } from "#dashboard/parts/button";
import { Card } from "#dashboard/parts/card";
import { choicesOf, StateChip } from "#dashboard/parts/chip";
import { HubCommand } from "#dashboard/parts/copy";
import { chosenOf, FilterBar, FilterChoice, FilterText, useFilters, useOpened } from "#dashboard/parts/filters";
import { type ItemOf, useList } from "#dashboard/parts/hooks";
import { Empty, Halted } from "#dashboard/parts/states";
import { type Column, Table } from "#dashboard/parts/table";
import { Time } from "#dashboard/parts/time";
import { type KeyAction, KeyActions, KeyDialog } from "./key-actions";
import { NewKey } from "./key-new";
import { KeySnippets } from "./key-snippets";

type Key = ItemOf<"GET /api/tokens">;

const HOLDER: Column<Key> = { name: "Owner", cell: ({ user }) => user.email, minor: true };

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
        <Halted suspension={disabled} act="enable" />
      </>
    ),
  },
  { name: "Last used", cell: ({ last_used_at }) => <Time at={last_used_at} /> },
  { name: "Expires", cell: ({ expires_at }) => <Time at={expires_at} />, minor: true },
  { name: "Created", cell: ({ created_at }) => <Time at={created_at} />, minor: true },
  { name: "Actions", hidden: true, align: "right", cell: actionsOf },
];

const STATES = choicesOf(["active", "disabled", "expired", "revoked", "rotated"]);

const KeysScreen = () => {
  const [adding, setAdding] = useOpened("new");
  const [acting, setActing] = useState<KeyAction | null>(null);
  const { user } = useMe();
  const maySeeAll = useHasRole("admin", "auditor");
  const isAdmin = useHasRole("admin");
  const { values, filter, clear, active } = useFilters(["q", "state", "agent", "whose"]);
  const all = maySeeAll && values.whose !== "mine";
  const list = useList("GET /api/tokens", {
    query: { state: chosenOf(STATES, values.state), agent_id: values.agent, ...(all && { all }) },
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
      hint="Gateway tokens for clients and agents. Each is shown once and can be disabled or revoked at any time."
      actions={add}
    >
      <FirstSteps />
      <Card flush>
        <FilterBar>
          <FilterText label="Name, agent or owner" {...filter("q")} />
          <FilterChoice label="State" {...filter("state")} choices={STATES} />
          <AgentFilter {...filter("agent")} />
          {maySeeAll && (
            <FilterChoice
              label="Owner"
              required
              {...filter("whose")}
              choices={[
                { value: "", label: "Owner: all users" },
                { value: "mine", label: "Owner: me" },
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
                Create a key for yourself or for an agent.
              </Empty>
            ) : (
              <Empty title="No keys yet." />
            )
          }
        />
      </Card>
      {makes && (
        <Card
          title="Connect a client"
          hint="One command, or the settings it writes. A key is shown only once: put yours in place of gw-live-…"
        >
          <KeySnippets title="Using a key" />
        </Card>
      )}
      {acting && <KeyDialog {...acting} onClose={() => setActing(null)} />}
      {adding && makes && <NewKey agent={values.agent} onClose={() => setAdding(false)} />}
    </SettingsPage>
  );
};

export default KeysScreen;
