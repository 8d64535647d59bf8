import { GitCompare, RotateCcw } from "lucide-react";
import { useState } from "react";
import { useHasRole } from "#dashboard/app/session";
import { Card } from "#dashboard/parts/card";
import { Tag } from "#dashboard/parts/chip";
import { Confirm, Dialog, DialogEnd } from "#dashboard/parts/dialog";
import { type ItemOf, useAct, useGet, useList } from "#dashboard/parts/hooks";
import { Menu } from "#dashboard/parts/menu";
import { Await, Empty } from "#dashboard/parts/states";
import { type Column, Table } from "#dashboard/parts/table";
import { Time } from "#dashboard/parts/time";
import { useTellChanged } from "./policy-draft";
import { Differences } from "./policy-words";

type Revision = ItemOf<"GET /api/policy/revisions">;

const columnsFor = (current: number): readonly Column<Revision>[] => [
  {
    name: "Revision",
    cell: ({ revision }) => (
      <span className="font-medium">
        {revision} {revision === current && <span className="font-normal text-muted">(in force)</span>}
      </span>
    ),
  },
  {
    name: "Change",
    cell: ({ kind, restored }) => <Tag>{restored === null ? kind : `restore of ${restored}`}</Tag>,
    minor: true,
  },
  { name: "Reason", cell: ({ reason }) => <span className="line-clamp-2 max-w-md">{reason}</span> },
  { name: "By", cell: ({ by }) => by ?? <span className="text-muted">the hub</span>, minor: true },
  { name: "Time", cell: ({ at }) => <Time at={at} /> },
  {
    name: "Actions",
    hidden: true,
    align: "right",
    cell: (item) => <RevisionActions item={item} current={current} />,
  },
];

/** What the policy was, newest first. */
export const Revisions = ({ current }: { readonly current: number }) => {
  const list = useList("GET /api/policy/revisions", { query: { limit: "20" } });
  return (
    <Card flush title="Revisions" hint="History of the policy, with reasons.">
      <Table
        label="Revisions"
        list={list}
        columns={columnsFor(current)}
        keyOf={({ revision }) => String(revision)}
        empty={<Empty title="No revisions yet." />}
      />
    </Card>
  );
};

const RevisionActions = ({ item, current }: { readonly item: Revision; readonly current: number }) => {
  const [doing, setDoing] = useState<"before" | "now" | "restore" | null>(null);
  const isAdmin = useHasRole("admin");
  const { revision } = item;
  const close = () => setDoing(null);
  return (
    <>
      <Menu
        label={`Actions for revision ${revision}`}
        items={[
          revision > 1 && { label: "Show changes", icon: GitCompare, onSelect: () => setDoing("before") },
          revision !== current && { label: "Compare with current", icon: GitCompare, onSelect: () => setDoing("now") },
          isAdmin &&
            revision !== current && { label: "Restore…", icon: RotateCcw, onSelect: () => setDoing("restore") },
        ]}
      />
      {doing === "before" && <DiffDialog from={revision - 1} to={revision} onClose={close} />}
      {doing === "now" && <DiffDialog from={revision} to={current} onClose={close} />}
      {doing === "restore" && <Restore revision={revision} current={current} onClose={close} />}
    </>
  );
};

const Diff = ({ from, to }: { readonly from: number; readonly to: number }) => {
  const diff = useGet("GET /api/policy/diff", { query: { from: String(from), to: String(to) } });
  return (
    <Await query={diff}>
      {({ differences, settings }) => (
        <>
          <Differences of={differences} />
          {settings.map(({ name, before, after }) => (
            <p key={name} className="text-[13px]">
              {name}: {JSON.stringify(before)} → {JSON.stringify(after)}
            </p>
          ))}
        </>
      )}
    </Await>
  );
};

const DiffDialog = ({
  from,
  to,
  onClose,
}: {
  readonly from: number;
  readonly to: number;
  readonly onClose: () => void;
}) => (
  <Dialog open wide onClose={onClose} title={`From revision ${from} to ${to}`}>
    <div className="flex flex-col gap-4">
      <Diff from={from} to={to} />
      <DialogEnd onClose={onClose} />
    </div>
  </Dialog>
);

const Restore = ({
  revision,
  current,
  onClose,
}: {
  readonly revision: number;
  readonly current: number;
  readonly onClose: () => void;
}) => {
  const tell = useTellChanged();
  const restore = useAct("POST /api/policy/restore", {
    refresh: ["/api/policy", "/api/inbox"],
    quiet: true,
    onDone: (answer) => {
      tell(answer);
      onClose();
    },
  });
  return (
    <Confirm
      onClose={onClose}
      title={`Restore revision ${revision}?`}
      word={`restore ${revision}`}
      reason
      submit="Restore"
      act={restore}
      onConfirm={(reason) => restore.mutate({ body: { revision, base_revision: current, reason } })}
    >
      <p>
        The edits of that revision are restored as a new revision. If that loosens the policy, another person must
        approve.
      </p>
      <Diff from={current} to={revision} />
    </Confirm>
  );
};
