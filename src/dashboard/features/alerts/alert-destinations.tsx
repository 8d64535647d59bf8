import { Pause, Pencil, Play, Plus, Send, Trash2 } from "lucide-react";
import { useState } from "react";
import { Button } from "#dashboard/parts/button";
import { Card } from "#dashboard/parts/card";
import { Chip, Tag } from "#dashboard/parts/chip";
import { Confirm } from "#dashboard/parts/dialog";
import { useOpened } from "#dashboard/parts/filters";
import { type ItemOf, useAct, useList } from "#dashboard/parts/hooks";
import { Menu } from "#dashboard/parts/menu";
import { Empty } from "#dashboard/parts/states";
import { type Column, Table } from "#dashboard/parts/table";
import { useToasts } from "#dashboard/parts/toast";
import { AlertDestinationForm } from "./alert-destination-form";

type Destination = ItemOf<"GET /api/alert-destinations">;

const REFRESH = ["/api/alert-destinations"] as const;

const State = ({ of: { active, failing_since } }: { readonly of: Destination }) => {
  if (!active) return <Chip>paused</Chip>;
  return failing_since ? <Chip tone="warn">failing</Chip> : <Chip tone="ok">active</Chip>;
};

const COLUMNS: readonly Column<Destination>[] = [
  {
    name: "Destination",
    cell: ({ name, host, to }) => (
      <>
        <span className="block font-medium">{name}</span>
        <span className="block text-[13px] wrap-anywhere text-muted">{to.length > 0 ? to.join(", ") : host}</span>
      </>
    ),
  },
  { name: "Kind", cell: ({ kind }) => <Tag>{kind}</Tag> },
  { name: "State", cell: (item) => <State of={item} /> },
  { name: "Test", hidden: true, align: "right", cell: (item) => <TestButton destination={item} /> },
  { name: "Actions", hidden: true, align: "right", cell: (item) => <DestinationActions destination={item} /> },
];

const TestButton = ({ destination }: { readonly destination: Destination }) => {
  const toasts = useToasts();
  const test = useAct("POST /api/alert-destinations/:id/test", {
    onDone: ({ delivered, status, error }) =>
      toasts.say(
        delivered ? "ok" : "bad",
        delivered ? "Test message delivered." : `Not delivered: ${error ?? `answered ${status}`}.`,
      ),
  });
  return (
    <Button icon={Send} busy={test.isPending} onClick={() => test.mutate({ params: { id: destination.id } })}>
      Test<span className="sr-only"> {destination.name}</span>
    </Button>
  );
};

const DestinationActions = ({ destination }: { readonly destination: Destination }) => {
  const [doing, setDoing] = useState<"edit" | "remove" | null>(null);
  const close = () => setDoing(null);
  const { id, name, active } = destination;
  const change = useAct("PATCH /api/alert-destinations/:id", {
    refresh: REFRESH,
    done: active ? "Paused." : "Enabled.",
  });
  const remove = useAct("DELETE /api/alert-destinations/:id", {
    refresh: REFRESH,
    close,
    done: "Destination removed.",
  });
  return (
    <>
      <Menu
        label={`Actions for ${name}`}
        items={[
          { label: "Edit…", icon: Pencil, onSelect: () => setDoing("edit") },
          {
            label: active ? "Pause" : "Enable",
            icon: active ? Pause : Play,
            onSelect: () => change.mutate({ params: { id }, body: { active: !active } }),
          },
          { label: "Remove…", icon: Trash2, danger: true, onSelect: () => setDoing("remove") },
        ]}
      />
      {doing === "edit" && <AlertDestinationForm destination={destination} onClose={close} />}
      {doing === "remove" && (
        <Confirm
          onClose={close}
          title="Remove destination?"
          submit="Remove"
          act={remove}
          onConfirm={() => remove.mutate({ params: { id } })}
        >
          {name} is told of no more alerts, nor that alerts are over which it was told of.
        </Confirm>
      )}
    </>
  );
};

/** For administrators. */
export const AlertDestinations = () => {
  const [adding, setAdding] = useOpened("new");
  const list = useList("GET /api/alert-destinations", {});
  const add = (
    <Button kind="primary" icon={Plus} onClick={() => setAdding(true)}>
      Add destination
    </Button>
  );
  return (
    <Card flush title="Destinations" actions={add}>
      <Table
        label="Destinations"
        list={list}
        columns={COLUMNS}
        keyOf={({ id }) => id}
        empty={<Empty title="Nobody is told yet.">Slack, Teams, PagerDuty, e-mail, or a webhook of your own.</Empty>}
      />
      {adding && <AlertDestinationForm onClose={() => setAdding(false)} />}
    </Card>
  );
};
