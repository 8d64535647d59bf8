import { Link } from "@tanstack/react-router";
import { Inbox, Plus, Waypoints } from "lucide-react";
import { COMMANDS } from "#core/command-line";
import { UserSelect } from "#dashboard/app/found";
import { useHasRole, useMakes, useMe, useSeesAll } from "#dashboard/app/session";
import { Button, buttonClass } from "#dashboard/parts/button";
import { Card } from "#dashboard/parts/card";
import { Chip, choicesOf, StateChip, spoken } from "#dashboard/parts/chip";
import { HubCommand } from "#dashboard/parts/copy";
import { type Filter, FilterBar, FilterChoice, FilterText, useFilters, useOpened } from "#dashboard/parts/filters";
import { type ItemOf, useList } from "#dashboard/parts/hooks";
import { numberOf } from "#dashboard/parts/numbers";
import { Page } from "#dashboard/parts/page";
import { Empty } from "#dashboard/parts/states";
import { type Column, Table } from "#dashboard/parts/table";
import { Time } from "#dashboard/parts/time";
import { NewToolServer } from "./tool-server-new";
import { placeOf, waits } from "./tool-server-type";

type Server = ItemOf<"GET /api/tool-servers">;

const COLUMNS: readonly Column<Server>[] = [
  {
    name: "Server",
    cell: (server) => (
      <>
        <Link to={`/tool-servers/${server.id}`} className="font-medium hover:underline">
          {server.slug}
        </Link>
        <span className="block max-w-80 truncate font-mono text-xs text-muted">{placeOf(server)}</span>
      </>
    ),
  },
  { name: "State", cell: ({ status }) => <StateChip of={status} /> },
  { name: "Tools", cell: ({ tools }) => numberOf(tools.filter(({ present }) => present).length), align: "right" },
  {
    name: "Pending",
    cell: ({ tools }) => {
      const count = tools.filter(waits).length;
      return count === 0 ? <span className="text-muted">none</span> : <Chip tone="warn">{count} wait</Chip>;
    },
  },
  { name: "Transport", cell: ({ transport }) => transport, minor: true },
  { name: "Credentials", cell: ({ credentials: { kind } }) => spoken(kind), minor: true },
  { name: "Owner", cell: ({ owner }) => owner, minor: true },
  { name: "Added", cell: ({ created_at }) => <Time at={created_at} />, minor: true },
];

const STATES = ["active", "changed", "inactive"];
const MINE = "mine";

const EVERYBODY = "Owner: all users";
const ME = { value: MINE, label: "Owner: me" };

/** Whose they are: anybody's for those who see the users. */
const OwnerFilter = ({ value = "", onChange }: Filter) => {
  const seesUsers = useHasRole("admin", "auditor");
  if (!seesUsers) {
    const choices = [{ value: "", label: EVERYBODY }, ME];
    return <FilterChoice label="Owner" required value={value} onChange={onChange} choices={choices} />;
  }
  return (
    <div className="relative w-52">
      <UserSelect
        label="Owner"
        by="email"
        hidden
        isFloating
        none={EVERYBODY}
        pinned={[ME]}
        value={value}
        onValue={onChange}
      />
    </div>
  );
};

const ToolServersScreen = () => {
  const [adding, setAdding] = useOpened("new");
  const { user } = useMe();
  const seesAll = useSeesAll();
  const { values, clear, active, filter } = useFilters(["q", "state", "owner"]);
  const owner = values.owner === MINE ? user.email : values.owner;
  const whose = owner ? { owner } : { all: true };
  const list = useList("GET /api/tool-servers", { query: seesAll ? whose : {} });
  const words = values.q?.toLowerCase() ?? "";
  const items = list.items.filter(
    (server) =>
      `${server.slug} ${placeOf(server)}`.toLowerCase().includes(words) &&
      (!values.state || values.state === server.status),
  );
  const makes = useMakes();
  const add = makes && (
    <Button kind="primary" icon={Plus} onClick={() => setAdding(true)}>
      Add tool server
    </Button>
  );
  return (
    <Page
      title="Tool servers"
      hint="MCP servers whose tools agents and apps call through the hub. Changed or suspicious tools are hidden until the owner approves them."
      actions={
        <>
          <Link to="/map" className={buttonClass()}>
            <Waypoints className="size-4" aria-hidden />
            Access map
          </Link>
          {seesAll && (
            <Link to="/tool-servers/proposals" className={buttonClass()}>
              <Inbox className="size-4" aria-hidden />
              Proposals
            </Link>
          )}
          {add}
        </>
      }
    >
      <Card flush>
        <FilterBar>
          <FilterText label="Name or address" {...filter("q")} />
          <FilterChoice label="State" {...filter("state")} choices={choicesOf(STATES)} />
          {seesAll && <OwnerFilter {...filter("owner")} />}
        </FilterBar>
        <Table
          label="Tool servers"
          list={{ ...list, items }}
          columns={COLUMNS}
          keyOf={({ id }) => id}
          to={({ id }) => `/tool-servers/${id}`}
          filters={{ active, clear }}
          empty={
            <Empty
              title={seesAll ? "No tool servers yet." : "No tool servers yet."}
              {...(makes && {
                command: <HubCommand words={COMMANDS.addToolServer(user.email)} />,
                action: add,
              })}
            >
              Connect an MCP server, then assign its tools to agents and apps.
            </Empty>
          }
        />
      </Card>
      {adding && makes && <NewToolServer onClose={() => setAdding(false)} />}
    </Page>
  );
};

export default ToolServersScreen;
