import { useMemo, useState } from "react";
import { Button } from "#dashboard/parts/button";
import { Card, ScrollBox } from "#dashboard/parts/card";
import { FilterBar, FilterChoice, useFilters } from "#dashboard/parts/filters";
import { useGet } from "#dashboard/parts/hooks";
import { countOf } from "#dashboard/parts/numbers";
import { Page, TextLink } from "#dashboard/parts/page";
import { Await, Empty, FilteredOut } from "#dashboard/parts/states";
import { type Column, known, Table } from "#dashboard/parts/table";
import { MapDrawing } from "./map-drawing";
import { type FanOut, Graph, narrowed, type Way } from "./map-layout";

const MapScreen = () => {
  const map = useGet("GET /api/map", {});
  return (
    <Page
      title="Access map"
      above={<TextLink to="/tool-servers">Tool servers</TextLink>}
      hint="Users, their agents, assigned tool servers and tools. Hover or focus a node to highlight its paths."
    >
      <Await query={map} lines={8}>
        {(data) => <Whole map={data} />}
      </Await>
    </Page>
  );
};

const Whole = ({ map }: { readonly map: FanOut }) => {
  const { values, set, clear, active, filter } = useFilters(["agent", "server", "view"]);
  const isTable = values.view === "table";
  const shown = useMemo(
    () =>
      narrowed(
        map,
        [values.agent, values.server].filter((id) => id !== undefined),
      ),
    [map, values.agent, values.server],
  );
  const ways = useMemo(() => new Graph(shown).ways(), [shown]);
  const choices = (kind: "agent" | "tool_server") =>
    map.nodes.filter((node) => node.kind === kind).map(({ id, name }) => ({ value: id, label: name }));
  const count = (kind: string): number => shown.nodes.filter((node) => node.kind === kind).length;
  const summary = `${countOf(count("user"), "user")}, ${countOf(count("agent"), "agent")}, ${countOf(count("tool_server"), "tool server")}, ${countOf(count("tool"), "tool")}; ${countOf(ways.length, "path")} from an agent to a tool.`;
  if (!map.nodes.some(({ kind }) => kind !== "user")) {
    return (
      <Card flush>
        <Empty title="No agents or tool servers yet.">
          <TextLink to="/agents">Register an agent</TextLink>, <TextLink to="/tool-servers">add a tool server</TextLink>
          , and assign its tools.
        </Empty>
      </Card>
    );
  }
  return (
    <Card flush>
      <FilterBar>
        <FilterChoice label="Agent" {...filter("agent")} choices={choices("agent")} />
        <FilterChoice label="Server" {...filter("server")} choices={choices("tool_server")} />
        <span className="flex-1" />
        <Button kind="quiet" aria-pressed={isTable} onClick={() => set({ view: isTable ? "" : "table" })}>
          {isTable ? "View as map" : "View as table"}
        </Button>
      </FilterBar>
      {map.truncated && (
        <p role="status" className="border-b border-line bg-warn-soft px-4 py-2 text-warn">
          Incomplete: some agents, servers or tools are not shown.
        </p>
      )}
      {shown.nodes.length === 0 ? (
        <FilteredOut onClear={clear} />
      ) : (
        <figure>
          {isTable ? (
            <WayTable ways={ways} filters={{ active, clear }} />
          ) : (
            <ScrollBox label="Map" className="px-4 py-3">
              <MapDrawing map={shown} summary={summary} />
            </ScrollBox>
          )}
          <figcaption className="border-t border-line px-4 py-2 text-[13px] text-muted">{summary}</figcaption>
        </figure>
      )}
    </Card>
  );
};

const COLUMNS: readonly Column<Way>[] = [
  { name: "User", cell: ([user]) => user, minor: true },
  { name: "Agent", cell: ([, agent]) => <span className="font-medium">{agent}</span> },
  { name: "Tool server", cell: ([, , server]) => server },
  { name: "Tool", cell: ([, , , tool]) => <code className="font-mono text-xs">{tool}</code> },
];
const STEP = 100;

const WayTable = ({
  ways,
  filters,
}: {
  readonly ways: readonly Way[];
  readonly filters: { readonly active: boolean; readonly clear: () => void };
}) => {
  const [most, setMost] = useState(STEP);
  return (
    <Table
      label="Paths from agents to tools"
      list={{
        ...known(ways.slice(0, most)),
        hasNextPage: ways.length > most,
        fetchNextPage: () => setMost(most + STEP),
      }}
      columns={COLUMNS}
      keyOf={(way) => way.join(" ")}
      filters={filters}
      empty={<Empty title="No agent has tools.">Assign tools to an agent on the page of a tool server.</Empty>}
    />
  );
};

export default MapScreen;
