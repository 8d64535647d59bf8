import { Plus } from "lucide-react";
import { useState } from "react";
import { COMMANDS } from "#core/command-line";
import { useMe } from "#dashboard/app/session";
import { Button } from "#dashboard/parts/button";
import { Card } from "#dashboard/parts/card";
import { StateChip, Tag } from "#dashboard/parts/chip";
import { HubCommand } from "#dashboard/parts/copy";
import { Confirm, Dialog, FormDialog } from "#dashboard/parts/dialog";
import { Checkbox, Select } from "#dashboard/parts/field";
import { type ItemOf, useAct, useList } from "#dashboard/parts/hooks";
import { TextLink } from "#dashboard/parts/page";
import { Empty } from "#dashboard/parts/states";
import { type Column, Table } from "#dashboard/parts/table";
import { type AgentData, AgentFrame } from "./agent-frame";

type Server = ItemOf<"GET /api/agents/:id/tools">;

const FEW = 8;

const COLUMNS: readonly Column<Server>[] = [
  { name: "Server", cell: ({ id, slug }) => <TextLink to={`/tool-servers/${id}`}>{slug}</TextLink> },
  { name: "State", cell: ({ status }) => <StateChip of={status} /> },
  { name: "Assigned", cell: ({ all, tools }) => (all ? "all, incl. future" : `${tools.length} chosen`) },
  {
    name: "Tools",
    cell: ({ tools }) => (
      <span className="flex flex-wrap gap-1">
        {tools.slice(0, FEW).map(({ name, status }) => (
          <span key={name} className="inline-flex items-center gap-1">
            <Tag>{name}</Tag>
            {status !== "approved" && <StateChip of={status} />}
          </span>
        ))}
        {tools.length > FEW && <span className="text-muted">+{tools.length - FEW}</span>}
      </span>
    ),
  },
];

const AgentToolsScreen = () => <AgentFrame>{(agent) => <Tools agent={agent} />}</AgentFrame>;

/** What it may call, of what its owner has connected. Its profile and restrictions narrow this further. */
const Tools = ({ agent }: { readonly agent: AgentData }) => {
  const [assigning, setAssigning] = useState(false);
  const [taking, setTaking] = useState<Server | null>(null);
  const list = useList("GET /api/agents/:id/tools", { params: { id: agent.id } });
  const isOwner = useMe().user.id === agent.owner_id && agent.lifecycle !== "retired";
  const columns: readonly Column<Server>[] = isOwner
    ? [
        ...COLUMNS,
        {
          name: "Actions",
          hidden: true,
          align: "right",
          cell: (server) => (
            <Button small onClick={() => setTaking(server)}>
              Unassign
            </Button>
          ),
        },
      ]
    : COLUMNS;
  const assign = isOwner && (
    <Button small icon={Plus} onClick={() => setAssigning(true)}>
      Assign tools
    </Button>
  );
  return (
    <Card
      title="Assigned tools"
      hint="Keys of this agent can call only these tools; profile and restrictions limit them further."
      actions={assign}
      flush
    >
      <Table
        label="Assigned tools"
        list={list}
        columns={columns}
        keyOf={({ id }) => id}
        empty={
          <Empty
            title="No tools assigned."
            command={<HubCommand words={COMMANDS.assignTools("SLUG", agent.name)} />}
            action={assign || undefined}
          >
            The owner connects tool servers and assigns their tools.
          </Empty>
        }
      />
      {assigning && <Assign agent={agent} onClose={() => setAssigning(false)} />}
      {taking && <TakeAway agent={agent} server={taking} onClose={() => setTaking(null)} />}
    </Card>
  );
};

const CHANGES = ["/api/agents", "/api/tool-servers", "/api/map"] as const;

const TakeAway = ({
  agent,
  server,
  onClose,
}: {
  readonly agent: AgentData;
  readonly server: Server;
  readonly onClose: () => void;
}) => {
  const act = useAct("DELETE /api/tool-servers/:id/assignments/:agent_id", {
    refresh: CHANGES,
    done: `${server.slug} unassigned.`,
    close: onClose,
  });
  return (
    <Confirm
      onClose={onClose}
      title={`Unassign ${server.slug} from ${agent.name}`}
      submit="Unassign"
      act={act}
      onConfirm={() => act.mutate({ params: { id: server.id, agent_id: agent.id } })}
    >
      The agent cannot call tools of this server from its next call on.
    </Confirm>
  );
};

const Assign = ({ agent, onClose }: { readonly agent: AgentData; readonly onClose: () => void }) => {
  const servers = useList("GET /api/tool-servers", { query: { limit: "200" } });
  const [chosen, setChosen] = useState("");
  const [all, setAll] = useState(false);
  const [tools, setTools] = useState<readonly string[]>([]);
  const act = useAct("PUT /api/tool-servers/:id/assignments/:agent_id", {
    refresh: CHANGES,
    done: "Tools assigned.",
    close: onClose,
  });
  const server = servers.items.find(({ id }) => id === chosen);
  if (!servers.isPending && servers.items.length === 0) {
    return (
      <Dialog open onClose={onClose} title="Assign tools">
        <Empty title="No tool servers yet." action={<TextLink to="/tool-servers">Connect one</TextLink>} />
      </Dialog>
    );
  }
  return (
    <FormDialog
      onClose={onClose}
      title="Assign tools"
      hint="Replaces the current assignment of this server."
      submit="Assign"
      act={act}
      disabled={!server || (!all && tools.length === 0)}
      onSubmit={() =>
        act.mutate({ params: { id: chosen, agent_id: agent.id }, body: { tools: all ? null : [...tools] } })
      }
    >
      <Select
        label="Server"
        value={chosen}
        onValue={(next) => {
          setChosen(next);
          setTools([]);
        }}
        choices={[
          { value: "", label: "Choose…" },
          ...servers.items.map(({ id, slug }) => ({ value: id, label: slug })),
        ]}
      />
      {server && (
        <fieldset className="flex max-h-64 flex-col gap-1 overflow-y-auto">
          <legend className="mb-1 text-[13px] font-medium">Tools</legend>
          <Checkbox label="All tools (incl. future)" checked={all} onValue={setAll} />
          {!all &&
            server.tools.map(({ tool, status }) => (
              <Checkbox
                key={tool}
                label={
                  <>
                    {tool} {status !== "approved" && <StateChip of={status} />}
                  </>
                }
                checked={tools.includes(tool)}
                onValue={(checked) => setTools(checked ? [...tools, tool] : tools.filter((one) => one !== tool))}
              />
            ))}
        </fieldset>
      )}
    </FormDialog>
  );
};

export default AgentToolsScreen;
