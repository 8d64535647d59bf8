import { Plus } from "lucide-react";
import { useState } from "react";
import { COMMANDS } from "#core/command-line";
import { type ItemOf, useAct, useGet } from "#dashboard/api/hooks";
import { Button } from "#dashboard/parts/button";
import { Card } from "#dashboard/parts/card";
import { Tag } from "#dashboard/parts/chip";
import { Confirm, FormDialog } from "#dashboard/parts/dialog";
import { Checkbox, Select } from "#dashboard/parts/field";
import { HubCommand } from "#dashboard/parts/hub-command";
import { Menu } from "#dashboard/parts/menu";
import { TextLink } from "#dashboard/parts/page";
import { Empty } from "#dashboard/parts/states";
import { type Column, known, Table } from "#dashboard/parts/table";
import { CONCERNED, type ToolServer } from "./tool-server-type";

type Assignment = ToolServer["assignments"][number];
type Agent = ItemOf<"GET /api/agents">;

const SHOWN = 6;

const Names = ({ tools }: { readonly tools: Assignment["tools"] }) => {
  if (tools === null) return <>all of them, those added later too</>;
  return (
    <span className="flex flex-wrap gap-1">
      {tools.slice(0, SHOWN).map((tool) => (
        <Tag key={tool}>{tool}</Tag>
      ))}
      {tools.length > SHOWN && <span className="text-muted">+{tools.length - SHOWN}</span>}
    </span>
  );
};

type Changing = {
  readonly change: (one: Assignment) => void;
  readonly takeAway: (one: Assignment) => void;
};

const columnsOf = (nameOf: (id: string) => string, changing: Changing | null): readonly Column<Assignment>[] => [
  { name: "Agent", cell: ({ agent_id }) => <TextLink to={`/agents/${agent_id}`}>{nameOf(agent_id)}</TextLink> },
  { name: "May use", cell: ({ tools }) => <Names tools={tools} /> },
  ...(changing
    ? [
        {
          name: "Actions",
          hidden: true,
          align: "right" as const,
          cell: (one: Assignment) => (
            <Menu
              label={`What ${nameOf(one.agent_id)} may use`}
              items={[
                { label: "Change", onSelect: () => changing.change(one) },
                { label: "Take away", danger: true, onSelect: () => changing.takeAway(one) },
              ]}
            />
          ),
        },
      ]
    : []),
];

/** Which agents may use which of a server's tools. */
export const ServerAgents = ({ server, isOwn }: { readonly server: ToolServer; readonly isOwn: boolean }) => {
  const [editing, setEditing] = useState<Assignment | "new" | null>(null);
  const [taking, setTaking] = useState<Assignment | null>(null);
  const agents = useGet("GET /api/agents", { query: { limit: "200", ...(isOwn ? {} : { all: "true" }) } });
  const everyone = agents.data?.data ?? [];
  const nameOf = (id: string): string => everyone.find((agent) => agent.id === id)?.name ?? id;
  const assigned = new Set(server.assignments.map(({ agent_id }) => agent_id));
  const free = everyone.filter(
    ({ id, owner, lifecycle }) => owner === server.owner && lifecycle !== "retired" && !assigned.has(id),
  );
  const assign = isOwn && (
    <Button icon={Plus} onClick={() => setEditing("new")} disabled={free.length === 0}>
      Assign to an agent
    </Button>
  );
  return (
    <Card
      title="Agents that may use it"
      hint="Its owner's own keys and clients see every tool of it; an agent only what is assigned here."
      actions={server.assignments.length > 0 && assign}
      flush
    >
      <Table
        label="Agents that may use it"
        list={known(server.assignments)}
        columns={columnsOf(nameOf, isOwn ? { change: setEditing, takeAway: setTaking } : null)}
        keyOf={({ agent_id }) => agent_id}
        empty={
          <Empty
            title="No agent may use it yet."
            command={<HubCommand words={COMMANDS.assignToolsOf(server.slug, server.owner, "NAME")} />}
            action={assign}
          >
            {isOwn && agents.data && everyone.length === 0 && (
              <>
                You have no agents. <TextLink to="/agents">Register one first</TextLink>.
              </>
            )}
          </Empty>
        }
      />
      {editing && (
        <Assign
          server={server}
          now={editing === "new" ? null : editing}
          agents={editing === "new" ? free : everyone.filter(({ id }) => id === editing.agent_id)}
          onClose={() => setEditing(null)}
        />
      )}
      {taking && (
        <TakeAway
          server={server}
          agentId={taking.agent_id}
          name={nameOf(taking.agent_id)}
          onClose={() => setTaking(null)}
        />
      )}
    </Card>
  );
};

const Assign = ({
  server,
  now,
  agents,
  onClose,
}: {
  readonly server: ToolServer;
  readonly now: Assignment | null;
  readonly agents: readonly Agent[];
  readonly onClose: () => void;
}) => {
  const [agent, setAgent] = useState(now?.agent_id ?? agents[0]?.id ?? "");
  const [isAll, setAll] = useState(now !== null && now.tools === null);
  const [tools, setTools] = useState<ReadonlySet<string>>(new Set(now?.tools ?? []));
  const assign = useAct("PUT /api/tool-servers/:id/assignments/:agent_id", {
    refresh: [...CONCERNED, "/api/agents"],
    done: "It holds from the agent's next request on.",
    close: onClose,
  });
  const listed = server.tools.filter(({ present, tool }) => present || tools.has(tool));
  const turn = (tool: string, isIn: boolean) =>
    setTools((old) => new Set(isIn ? [...old, tool] : [...old].filter((one) => one !== tool)));
  return (
    <FormDialog
      onClose={onClose}
      title={now ? "Change what it may use" : "Assign tools to an agent"}
      submit={now ? "Change" : "Assign"}
      act={assign}
      disabled={agent === "" || (!isAll && tools.size === 0)}
      onSubmit={() =>
        assign.mutate({
          params: { id: server.id, agent_id: agent },
          body: { tools: isAll ? null : [...tools] },
        })
      }
    >
      <Select
        label="Agent"
        value={agent}
        disabled={now !== null}
        onValue={setAgent}
        choices={agents.map(({ id, name }) => ({ value: id, label: name }))}
      />
      <Checkbox
        label="All tools of this server, those added later too"
        hint="Tools that were not approved stay held back all the same."
        checked={isAll}
        onValue={setAll}
      />
      <fieldset className="flex flex-col gap-1.5" disabled={isAll}>
        <legend className="mb-1 text-[13px] font-medium">Only these</legend>
        {listed.map(({ tool, status }) => (
          <Checkbox
            key={tool}
            label={tool}
            {...(status === "approved" ? {} : { hint: `${status}: held back until it is approved` })}
            checked={isAll || tools.has(tool)}
            onValue={(checked) => turn(tool, checked)}
          />
        ))}
        {listed.length === 0 && <p className="text-muted">Nothing is known of its tools yet.</p>}
      </fieldset>
    </FormDialog>
  );
};

const TakeAway = ({
  server,
  agentId,
  name,
  onClose,
}: {
  readonly server: ToolServer;
  readonly agentId: string;
  readonly name: string;
  readonly onClose: () => void;
}) => {
  const take = useAct("DELETE /api/tool-servers/:id/assignments/:agent_id", {
    refresh: [...CONCERNED, "/api/agents"],
    done: "Taken away.",
    close: onClose,
  });
  return (
    <Confirm
      onClose={onClose}
      title={`Take ${server.slug} from ${name}?`}
      submit="Take away"
      act={take}
      onConfirm={() => take.mutate({ params: { id: server.id, agent_id: agentId } })}
    >
      <p>The agent is offered none of its tools from its next request on. You can assign them again.</p>
    </Confirm>
  );
};
