import { Plus } from "lucide-react";
import { COMMANDS } from "#core/command-line";
import { SettingsPage } from "#dashboard/app/settings";
import { Button } from "#dashboard/parts/button";
import { Card } from "#dashboard/parts/card";
import { Chip, Tag } from "#dashboard/parts/chip";
import { CodeLine, HubCommand } from "#dashboard/parts/copy";
import { useOpened } from "#dashboard/parts/filters";
import { type ItemOf, useList } from "#dashboard/parts/hooks";
import { TextLink } from "#dashboard/parts/page";
import { Empty } from "#dashboard/parts/states";
import { type Column, Table } from "#dashboard/parts/table";
import { Time } from "#dashboard/parts/time";
import { SourceActions, TestButton } from "./source-actions";
import { SourceForm } from "./source-form";

export type Source = ItemOf<"GET /api/hook-sources">;

const State = ({ of: { problem, secrets, given_by } }: { readonly of: Source }) => (
  <span className="flex flex-wrap gap-1">
    {problem === null ? <Chip tone="ok">active</Chip> : <Chip tone="bad">{problem}</Chip>}
    {secrets > 1 && <Chip tone="warn">two secrets</Chip>}
    {given_by === "configuration" && <Tag>configuration</Tag>}
  </span>
);

const Last = ({ of: { activity } }: { readonly of: Source }) => {
  const { last } = activity;
  if (last === null) return <span className="text-muted">none yet</span>;
  return (
    <>
      <TextLink to={`/calls/${last.call_id}`}>
        <Time at={last.at} />
      </TextLink>
      <span className="block text-[13px] text-muted">
        {last.decision}, {Math.max(1, Math.round(last.ms))} ms
      </span>
    </>
  );
};

const COLUMNS: readonly Column<Source>[] = [
  {
    name: "Source",
    cell: ({ name, url, user, agent }) => (
      <>
        <span className="block font-medium">{name}</span>
        <span className="block text-[13px] text-muted">{agent ?? user ?? "nobody"}</span>
        <CodeLine text={url} />
      </>
    ),
  },
  { name: "Kind", cell: ({ kind }) => <Tag>{kind}</Tag> },
  { name: "State", cell: (source) => <State of={source} /> },
  { name: "Last frame", cell: (source) => <Last of={source} /> },
  {
    name: "In 24 hours",
    cell: ({ activity }) => activity.decisions.map(({ decision, calls }) => `${calls} ${decision}`).join(", ") || "0",
    minor: true,
  },
  { name: "Test", hidden: true, align: "right", cell: (source) => <TestButton source={source} /> },
  { name: "Actions", hidden: true, align: "right", cell: (source) => <SourceActions source={source} /> },
];

const IntegrationsScreen = () => {
  const [adding, setAdding] = useOpened("new");
  const list = useList("GET /api/hook-sources", {});
  const add = (
    <Button kind="primary" icon={Plus} onClick={() => setAdding(true)}>
      Add source
    </Button>
  );
  return (
    <SettingsPage
      title="Integrations"
      hint="Systems that ask the hub for verdicts about what passes elsewhere, for many people at once."
      actions={add}
    >
      <Card flush>
        <Table
          label="Sources"
          list={list}
          columns={COLUMNS}
          keyOf={({ id }) => id}
          empty={
            <Empty title="No sources yet." command={<HubCommand words={COMMANDS.addHookSource()} />} action={add}>
              Anthropic's and Cursor's inference hooks, Copilot Studio, LiteLLM.
            </Empty>
          }
        />
      </Card>
      {adding && <SourceForm onClose={() => setAdding(false)} />}
    </SettingsPage>
  );
};

export default IntegrationsScreen;
