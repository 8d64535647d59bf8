import { Plus } from "lucide-react";
import { useState } from "react";
import { COMMANDS } from "#core/command-line";
import { AgentSelect } from "#dashboard/app/found";
import { Button } from "#dashboard/parts/button";
import { Card } from "#dashboard/parts/card";
import { Tag } from "#dashboard/parts/chip";
import { HubCommand } from "#dashboard/parts/copy";
import { Confirm, FormDialog } from "#dashboard/parts/dialog";
import { Checkbox, Input } from "#dashboard/parts/field";
import { useAct, useGet } from "#dashboard/parts/hooks";
import { Menu } from "#dashboard/parts/menu";
import { TextLink } from "#dashboard/parts/page";
import { Empty } from "#dashboard/parts/states";
import { type Column, known, Table } from "#dashboard/parts/table";
import { CONCERNED, type ToolServerData } from "./tool-server-type";

type Assignment = ToolServerData["assignments"][number];

const SHOWN = 6;

const Names = ({ tools }: { readonly tools: Assignment["tools"] }) => {
  if (tools === null) return <>all tools (incl. future)</>;
  if (tools.length === 0) return <span className="text-muted">none</span>;
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

const columnsOf = (changing: Changing | null): readonly Column<Assignment>[] => [
  { name: "Agent", cell: ({ agent_id, agent }) => <TextLink to={`/agents/${agent_id}`}>{agent}</TextLink> },
  { name: "Tools", cell: ({ tools }) => <Names tools={tools} /> },
  { name: "Resources", cell: ({ resources }) => <Names tools={resources} /> },
  { name: "Prompts", cell: ({ prompts }) => <Names tools={prompts} /> },
  ...(changing
    ? [
        {
          name: "Actions",
          hidden: true,
          align: "right" as const,
          cell: (one: Assignment) => (
            <Menu
              label={`Tools of ${one.agent}`}
              items={[
                { label: "Change", onSelect: () => changing.change(one) },
                { label: "Unassign", danger: true, onSelect: () => changing.takeAway(one) },
              ]}
            />
          ),
        },
      ]
    : []),
];

/** Which agents may use which of a server's tools. */
export const ServerAgents = ({ server, isOwn }: { readonly server: ToolServerData; readonly isOwn: boolean }) => {
  const [editing, setEditing] = useState<Assignment | "new" | null>(null);
  const [taking, setTaking] = useState<Assignment | null>(null);
  // Whether there is one at all, or only one; among more they are found by name.
  const agents = useGet("GET /api/agents", { query: { limit: 2 } }, { enabled: isOwn });
  const [first, second] = agents.data?.data ?? [];
  const hasAgents = !agents.data || first !== undefined;
  const assign = isOwn && (
    <Button icon={Plus} onClick={() => setEditing("new")} disabled={!hasAgents}>
      Assign to agent
    </Button>
  );
  return (
    <Card
      title="Assigned agents"
      hint="Personal keys and apps of the owner see all tools of the server; agents see assigned tools only."
      actions={server.assignments.length > 0 && assign}
      flush
    >
      <Table
        label="Assigned agents"
        list={known(server.assignments)}
        columns={columnsOf(isOwn ? { change: setEditing, takeAway: setTaking } : null)}
        keyOf={({ agent_id }) => agent_id}
        empty={
          <Empty
            title="No assigned agents."
            command={<HubCommand words={COMMANDS.assignToolsOf(server.slug, server.owner, "NAME")} />}
            action={assign}
          >
            {isOwn && !hasAgents && (
              <>
                No agents. <TextLink to="/agents">Register an agent</TextLink>.
              </>
            )}
          </Empty>
        }
      />
      {editing && (
        <Assign
          server={server}
          now={editing === "new" ? null : editing}
          only={second ? undefined : first?.id}
          onClose={() => setEditing(null)}
        />
      )}
      {taking && (
        <TakeAway server={server} agentId={taking.agent_id} name={taking.agent} onClose={() => setTaking(null)} />
      )}
    </Card>
  );
};

const Assign = ({
  server,
  now,
  only,
  onClose,
}: {
  readonly server: ToolServerData;
  readonly now: Assignment | null;
  readonly only: string | undefined;
  readonly onClose: () => void;
}) => {
  const [agent, setAgent] = useState(now?.agent_id ?? only ?? "");
  const [isAll, setAll] = useState(now !== null && now.tools === null);
  const [tools, setTools] = useState<ReadonlySet<string>>(new Set(now?.tools ?? []));
  const [resources, setResources] = useState((now?.resources ?? []).join(", "));
  const [prompts, setPrompts] = useState((now?.prompts ?? []).join(", "));
  const isNothing = !isAll && tools.size === 0 && namesIn(resources).length + namesIn(prompts).length === 0;
  const assign = useAct("PUT /api/tool-servers/:id/assignments/:agent_id", {
    refresh: [...CONCERNED, "/api/agents"],
    done: "Assigned, in force from the agent's next request on.",
    close: onClose,
  });
  const assigned = new Set(server.assignments.map(({ agent_id }) => agent_id));
  const listed = server.tools.filter(({ present, tool }) => present || tools.has(tool));
  const turn = (tool: string, isIn: boolean) =>
    setTools((old) => new Set(isIn ? [...old, tool] : [...old].filter((one) => one !== tool)));
  return (
    <FormDialog
      onClose={onClose}
      title={now ? "Change assignment" : "Assign to an agent"}
      submit={now ? "Change" : "Assign"}
      act={assign}
      disabled={agent === "" || isNothing}
      onSubmit={() =>
        assign.mutate({
          params: { id: server.id, agent_id: agent },
          body: {
            ...(isAll ? { tools: null } : tools.size > 0 && { tools: [...tools] }),
            resources: namesIn(resources),
            prompts: namesIn(prompts),
          },
        })
      }
    >
      {now ? (
        <Input label="Agent" disabled value={now.agent} />
      ) : (
        <AgentSelect
          label="Agent"
          isOwn
          may={({ id, lifecycle }) => lifecycle !== "retired" && !assigned.has(id)}
          value={agent}
          onValue={setAgent}
        />
      )}
      <Checkbox
        label="All tools of this server (incl. future)"
        hint="Tools without approval stay hidden."
        checked={isAll}
        onValue={setAll}
      />
      <fieldset className="flex flex-col gap-1.5" disabled={isAll}>
        <legend className="mb-1 text-[13px] font-medium">Only these tools</legend>
        {listed.map(({ tool, status }) => (
          <Checkbox
            key={tool}
            label={tool}
            {...(status === "approved" ? {} : { hint: `${status}: hidden until approved` })}
            checked={isAll || tools.has(tool)}
            onValue={(checked) => turn(tool, checked)}
          />
        ))}
        {listed.length === 0 && <p className="text-muted">No tools listed yet.</p>}
      </fieldset>
      <Input
        label="Resources"
        hint="Patterns of the server's URIs, such as file:///srv/docs/*, separated by commas; empty for none."
        value={resources}
        onValue={setResources}
      />
      <Input
        label="Prompts"
        hint="Names separated by commas, * for all; empty for none."
        value={prompts}
        onValue={setPrompts}
      />
    </FormDialog>
  );
};

const namesIn = (text: string): string[] =>
  text
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");

const TakeAway = ({
  server,
  agentId,
  name,
  onClose,
}: {
  readonly server: ToolServerData;
  readonly agentId: string;
  readonly name: string;
  readonly onClose: () => void;
}) => {
  const take = useAct("DELETE /api/tool-servers/:id/assignments/:agent_id", {
    refresh: [...CONCERNED, "/api/agents"],
    done: "Tools unassigned.",
    close: onClose,
  });
  return (
    <Confirm
      onClose={onClose}
      title={`Unassign ${server.slug} from ${name}?`}
      submit="Unassign"
      act={take}
      onConfirm={() => take.mutate({ params: { id: server.id, agent_id: agentId } })}
    >
      <p>The agent cannot use tools of this server from its next request on. You can assign them again.</p>
    </Confirm>
  );
};
