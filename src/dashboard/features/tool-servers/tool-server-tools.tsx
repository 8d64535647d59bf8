import { useState } from "react";
import { Button } from "#dashboard/parts/button";
import { Card } from "#dashboard/parts/card";
import { StateChip, Tag } from "#dashboard/parts/chip";
import { Id } from "#dashboard/parts/copy";
import { Dialog, DialogForm } from "#dashboard/parts/dialog";
import { Checkbox } from "#dashboard/parts/field";
import { useAct } from "#dashboard/parts/hooks";
import { LineDiff } from "#dashboard/parts/line-diff";
import { Empty } from "#dashboard/parts/states";
import { type Column, known, Table } from "#dashboard/parts/table";
import { CONCERNED, type Definition, type Tool, type ToolServerData, waits } from "./tool-server-type";

const textOf = (definition: Definition["before"]): string =>
  definition === null ? "" : JSON.stringify(definition, null, 2);

/** What is told of a tool in one line. */
const saysOf = (definition: Definition | undefined): string => {
  const text = definition?.after?.["description"];
  return typeof text === "string" ? text : "";
};

/** All tools of a server: how each stands, what it says of itself, and the approval of those that wait. */
export const ServerTools = ({ server, isOwn }: { readonly server: ToolServerData; readonly isOwn: boolean }) => {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [reading, setReading] = useState<readonly Definition[] | null>(null);
  const waiting = server.tools.filter(waits);
  const marked = waiting.filter(({ tool }) => chosen.has(tool));
  const byTool = new Map(server.definitions.map((one) => [one.tool, one]));
  const read = (tools: readonly Tool[]) => setReading(tools.flatMap(({ tool }) => byTool.get(tool) ?? []));
  const choose = (tool: string, isIn: boolean) =>
    setChosen((old) => new Set(isIn ? [...old, tool] : [...old].filter((one) => one !== tool)));
  const canApprove = isOwn && waiting.length > 0;
  return (
    <Card
      title="Tools"
      hint={
        waiting.length === 0
          ? "All approved. A changed tool is hidden until approved again."
          : `${waiting.length} hidden until the owner views and approves them.`
      }
      actions={
        canApprove && (
          <>
            <Button
              kind="quiet"
              onClick={() =>
                setChosen(new Set(marked.length === waiting.length ? [] : waiting.map(({ tool }) => tool)))
              }
            >
              {marked.length === waiting.length ? "Select none" : "Select all pending"}
            </Button>
            <Button kind="primary" disabled={marked.length === 0} onClick={() => read(marked)}>
              View and approve{marked.length > 0 && ` (${marked.length})`}
            </Button>
          </>
        )
      }
      flush
    >
      <Table
        label="Tools"
        list={known(server.tools)}
        columns={columnsOf(byTool, canApprove ? { chosen, choose } : null, read)}
        keyOf={({ tool }) => tool}
        empty={
          <Empty title="No tools listed yet.">
            Test the server to list its tools. If it refuses, sign in or change the credentials.
          </Empty>
        }
      />
      {reading && (
        <Definitions
          server={server}
          definitions={reading}
          canApprove={canApprove && reading.every(({ tool }) => waiting.some((one) => one.tool === tool))}
          onClose={() => setReading(null)}
          onDone={() => setChosen(new Set())}
        />
      )}
    </Card>
  );
};

type Choosing = {
  readonly chosen: ReadonlySet<string>;
  readonly choose: (tool: string, isIn: boolean) => void;
};

const columnsOf = (
  byTool: ReadonlyMap<string, Definition>,
  choosing: Choosing | null,
  read: (tools: readonly Tool[]) => void,
): readonly Column<Tool>[] => [
  ...(choosing
    ? [
        {
          name: "Select",
          hidden: true,
          cell: (tool: Tool) =>
            waits(tool) && (
              <Checkbox
                label={<span className="sr-only">Select {tool.tool}</span>}
                checked={choosing.chosen.has(tool.tool)}
                onValue={(checked) => choosing.choose(tool.tool, checked)}
              />
            ),
        },
      ]
    : []),
  {
    name: "Tool",
    cell: ({ tool, name }) => (
      <>
        <span className="font-medium">{tool}</span>
        <span className="block font-mono text-xs text-muted">{name}</span>
      </>
    ),
  },
  {
    name: "Description",
    cell: ({ tool }) => <span className="line-clamp-2 max-w-96 text-muted">{saysOf(byTool.get(tool))}</span>,
    minor: true,
  },
  {
    name: "State",
    cell: ({ status, present }) => (
      <>
        <StateChip of={status} />
        {!present && <span className="block text-[13px] text-muted">no longer listed</span>}
      </>
    ),
  },
  {
    name: "Findings",
    cell: ({ flags, reasons }) => (
      <>
        <span className="flex flex-wrap gap-1">
          {flags.map((flag) => (
            <Tag key={flag}>{flag}</Tag>
          ))}
        </span>
        {reasons.map(({ type, reason }) => (
          <span key={type} className="block text-[13px] text-muted">
            {reason}
          </span>
        ))}
      </>
    ),
  },
  {
    name: "Definition",
    hidden: true,
    align: "right",
    cell: (tool) => (
      <Button small onClick={() => read([tool])}>
        {tool.status === "changed" ? "View changes" : "View"}
      </Button>
    ),
  },
];

/** What tools say of themselves, against what was approved; what is approved is exactly what stands here. */
const Definitions = ({
  server,
  definitions,
  canApprove,
  onClose,
  onDone,
}: {
  readonly server: ToolServerData;
  /** As they were when the window was opened: their hashes are what the approval names. */
  readonly definitions: readonly Definition[];
  readonly canApprove: boolean;
  readonly onClose: () => void;
  readonly onDone: () => void;
}) => {
  const [isRead, setRead] = useState(false);
  const approve = useAct("POST /api/tool-servers/:id/approve", {
    refresh: CONCERNED,
    done: "Approved.",
    quiet: true,
    onDone: () => {
      onDone();
      onClose();
    },
  });
  const shown = (
    <div className="flex flex-col gap-4">
      {definitions.map((one) => (
        <OneDefinition
          key={one.tool}
          definition={one}
          flags={server.tools.find(({ tool }) => tool === one.tool)?.flags ?? []}
          reasons={server.tools.find(({ tool }) => tool === one.tool)?.reasons ?? []}
        />
      ))}
    </div>
  );
  const [first] = definitions;
  const title = definitions.length === 1 && first ? first.tool : `${definitions.length} tools`;
  return (
    <Dialog open wide onClose={onClose} title={title} hint="Models read this text: treat it as untrusted instructions.">
      {canApprove ? (
        <DialogForm
          submit={definitions.length === 1 ? "Approve" : `Approve ${definitions.length} tools`}
          act={approve}
          disabled={!isRead}
          onCancel={onClose}
          onSubmit={() =>
            approve.mutate({
              params: { id: server.id },
              body: { tools: definitions.map(({ tool, hash }) => ({ tool, hash })) },
            })
          }
        >
          {shown}
          <Checkbox
            label="I have read the definitions above"
            hint="If a tool changes in the meantime, the approval is refused."
            checked={isRead}
            onValue={setRead}
          />
        </DialogForm>
      ) : (
        shown
      )}
    </Dialog>
  );
};

const OneDefinition = ({
  definition: { tool, name, hash, before, after },
  flags,
  reasons,
}: {
  readonly definition: Definition;
  readonly flags: readonly string[];
  readonly reasons: Tool["reasons"];
}) => (
  <section className="flex flex-col gap-2" aria-label={tool}>
    <div className="flex flex-wrap items-center gap-2 text-[13px] text-muted">
      <code className="font-mono text-text">{name}</code>
      <Id value={hash} />
      {flags.map((flag) => (
        <Tag key={flag}>{flag}</Tag>
      ))}
      <span>{before === null ? "never approved" : "− approved, + new"}</span>
    </div>
    {reasons.length > 0 && (
      <ul className="flex flex-col gap-1 text-[13px]" aria-label={`Why ${tool} waits for approval`}>
        {reasons.map(({ type, reason, place, quote }) => (
          <li key={type}>
            It {reason}
            {place !== "" && (
              <>
                {" "}
                (<code className="font-mono">{place}</code>: <q>{quote}</q>)
              </>
            )}
            .
          </li>
        ))}
      </ul>
    )}
    <LineDiff label={`Definition of ${tool}`} before={textOf(before ?? after)} after={textOf(after)} />
  </section>
);
