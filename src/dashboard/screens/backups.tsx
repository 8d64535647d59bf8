import { Archive, Download, ShieldCheck, Trash2 } from "lucide-react";
import { useState } from "react";
import { COMMANDS } from "#core/command-line";
import { type Answer, addressFor, messageOf } from "#dashboard/api/client";
import { useAct, useGet } from "#dashboard/api/hooks";
import { useFreshSession } from "#dashboard/app/confirm-session";
import { Button } from "#dashboard/parts/button";
import { Card } from "#dashboard/parts/card";
import { Chip } from "#dashboard/parts/chip";
import { Confirm } from "#dashboard/parts/dialog";
import { HubCommand } from "#dashboard/parts/hub-command";
import { Menu } from "#dashboard/parts/menu";
import { bytesOf } from "#dashboard/parts/numbers";
import { Await, Empty } from "#dashboard/parts/states";
import { type Column, known, Table } from "#dashboard/parts/table";
import { Time } from "#dashboard/parts/time";
import { useToasts } from "#dashboard/parts/toast";

type List = Answer<"GET /api/backups">;
type Backup = List["data"][number];
type Task = NonNullable<List["task"]>;

const REFRESH = ["/api/backups"] as const;
const LOOK_MS = 1_500;

const MAKERS: Readonly<Record<Backup["made_by"], string>> = {
  command: "on the command line",
  person: "here",
  schedule: "by schedule",
};

const CheckChip = ({ of: { checked, has_keys } }: { readonly of: Backup }) => {
  if (!has_keys) return <Chip tone="bad">its master key is missing</Chip>;
  if (!checked) return <Chip>not checked</Chip>;
  return checked.ok ? <Chip tone="ok">whole</Chip> : <Chip tone="bad">broken</Chip>;
};

const columnsFor = (isBusy: boolean): readonly Column<Backup>[] => [
  {
    name: "Backup",
    cell: ({ name, made_by }) => (
      <>
        <span className="block font-mono text-[13px] break-all">{name}</span>
        <span className="block text-[13px] text-muted">made {MAKERS[made_by]}</span>
      </>
    ),
  },
  { name: "Made", cell: ({ created_at }) => <Time at={created_at} /> },
  { name: "Size", cell: ({ bytes }) => bytesOf(bytes), align: "right", minor: true },
  { name: "Check", cell: (item) => <CheckChip of={item} /> },
  { name: "Version", cell: ({ version }) => version, minor: true },
  {
    name: "Actions",
    hidden: true,
    align: "right",
    cell: (item) => <BackupActions backup={item} isBusy={isBusy} />,
  },
];

/** The copies that lie in the data directory: made, checked, taken away, removed. */
export const Backups = () => {
  const [looking, setLooking] = useState(false);
  const backups = useGet("GET /api/backups", {}, looking ? { everyMs: LOOK_MS } : {});
  const isBusy = backups.data?.task?.state === "running";
  if (isBusy !== looking) setLooking(isBusy);
  const make = useAct("POST /api/backups", { refresh: REFRESH });
  const button = (
    <Button icon={Archive} busy={make.isPending || isBusy} onClick={() => make.mutate({})}>
      Make one
    </Button>
  );
  return (
    <Card
      flush
      title="Backups"
      hint="Everything but the master key, which is in none: keep a copy of it elsewhere."
      actions={button}
    >
      <Await query={backups}>
        {({ data, task, schedule }) => (
          <>
            <p className="border-b border-line px-4 py-2 text-[13px] text-muted">
              {schedule.every_hours === 0
                ? "None is made by itself (backups.every_hours)."
                : `Every ${schedule.every_hours} hours one is made, and the last ${schedule.keep} of them are kept.`}{" "}
              {schedule.next_at && (
                <>
                  Next: <Time at={schedule.next_at} />.
                </>
              )}
            </p>
            {task && <TaskLine task={task} />}
            <Table
              label="Backups"
              list={known(data)}
              columns={columnsFor(isBusy)}
              keyOf={({ name }) => name}
              empty={
                <Empty title="No backups yet." command={<HubCommand words={COMMANDS.createBackup()} />}>
                  One is made beside the calls, in a moment.
                </Empty>
              }
            />
          </>
        )}
      </Await>
    </Card>
  );
};

const SAYINGS: Readonly<Record<Task["kind"], Readonly<Record<Task["state"], string>>>> = {
  create: {
    running: "A backup is being made…",
    ok: "The last backup was made.",
    broken: "The last backup is broken.",
    failed: "The last backup could not be made.",
  },
  verify: {
    running: "A backup is being checked, byte by byte…",
    ok: "The last one that was checked is whole.",
    broken: "The last one that was checked is broken.",
    failed: "The last check could not be done.",
  },
};

const TONES = { running: "wait", ok: "ok", broken: "bad", failed: "bad" } as const;

const TaskLine = ({ task }: { readonly task: Task }) => (
  <div role="status" className="border-b border-line px-4 py-2">
    <Chip tone={TONES[task.state]}>{SAYINGS[task.kind][task.state]}</Chip>{" "}
    <span className="text-[13px] text-muted">
      {task.name} {task.by && `by ${task.by}`}
    </span>
    {task.problems.length > 0 && (
      <ul className="mt-1 list-disc pl-5 text-bad">
        {task.problems.map((problem) => (
          <li key={problem}>{problem}</li>
        ))}
      </ul>
    )}
  </div>
);

const BackupActions = ({ backup, isBusy }: { readonly backup: Backup; readonly isBusy: boolean }) => {
  const [removing, setRemoving] = useState(false);
  const { name } = backup;
  const verify = useAct("POST /api/backups/:name/verify", { refresh: REFRESH });
  const toasts = useToasts();
  const mustBeFresh = useFreshSession();
  const download = () =>
    mustBeFresh().then(
      () => location.assign(addressFor("GET /api/backups/:name", { params: { name } })),
      (error: unknown) => toasts.say("bad", messageOf(error)),
    );
  return (
    <>
      <Menu
        label={`What to do with ${name}`}
        items={[
          {
            label: "Check it",
            icon: ShieldCheck,
            disabled: isBusy,
            onSelect: () => verify.mutate({ params: { name } }),
          },
          { label: "Download", icon: Download, onSelect: () => void download() },
          { label: "Remove…", icon: Trash2, danger: true, onSelect: () => setRemoving(true) },
        ]}
      />
      {removing && <RemoveBackup name={name} onClose={() => setRemoving(false)} />}
    </>
  );
};

const RemoveBackup = ({ name, onClose }: { readonly name: string; readonly onClose: () => void }) => {
  const remove = useAct("DELETE /api/backups/:name", {
    refresh: REFRESH,
    done: "The backup is removed.",
    close: onClose,
  });
  return (
    <Confirm
      onClose={onClose}
      title="Remove this backup?"
      word={name}
      submit="Remove"
      act={remove}
      onConfirm={() => remove.mutate({ params: { name }, body: { name } })}
    >
      The file is deleted. What was downloaded stays where it is.
    </Confirm>
  );
};
