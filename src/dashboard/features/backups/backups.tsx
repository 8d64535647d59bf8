import { Archive, Download, ShieldCheck, Trash2 } from "lucide-react";
import { useState } from "react";
import { COMMANDS } from "#core/command-line";
import { type AnswerTo, addressFor, messageOf } from "#dashboard/api/client";
import { Button } from "#dashboard/parts/button";
import { Card } from "#dashboard/parts/card";
import { Chip } from "#dashboard/parts/chip";
import { useFreshSession } from "#dashboard/parts/confirm-session";
import { HubCommand } from "#dashboard/parts/copy";
import { Confirm } from "#dashboard/parts/dialog";
import { useAct, useGet } from "#dashboard/parts/hooks";
import { Menu } from "#dashboard/parts/menu";
import { bytesOf } from "#dashboard/parts/numbers";
import { Await, Empty } from "#dashboard/parts/states";
import { type Column, known, Table } from "#dashboard/parts/table";
import { Time } from "#dashboard/parts/time";
import { useToasts } from "#dashboard/parts/toast";

type List = AnswerTo<"GET /api/backups">;
type Backup = List["data"][number];
type Task = NonNullable<List["task"]>;

const REFRESH = ["/api/backups"] as const;
const LOOK_MS = 1_500;

const MAKERS: Readonly<Record<Backup["made_by"], string>> = {
  command: "command line",
  person: "here",
  schedule: "automatic",
};

const CheckChip = ({ of: { checked, has_keys } }: { readonly of: Backup }) => {
  if (!has_keys) return <Chip tone="bad">master key missing</Chip>;
  if (!checked) return <Chip>not verified</Chip>;
  return checked.ok ? <Chip tone="ok">intact</Chip> : <Chip tone="bad">broken</Chip>;
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
  { name: "Created", cell: ({ created_at }) => <Time at={created_at} /> },
  { name: "Size", cell: ({ bytes }) => bytesOf(bytes), align: "right", minor: true },
  { name: "Verification", cell: (item) => <CheckChip of={item} /> },
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
      Back up now
    </Button>
  );
  return (
    <Card
      flush
      title="Backups"
      hint="Contain everything except the master key: keep a copy of that elsewhere."
      actions={button}
    >
      <Await query={backups}>
        {({ data, task, schedule }) => (
          <>
            <p className="border-b border-line px-4 py-2 text-[13px] text-muted">
              {schedule.every_hours === 0
                ? "Automatic backups: off (backups.every_hours)."
                : `Automatic backups: every ${schedule.every_hours} hours, the last ${schedule.keep} are kept.`}{" "}
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
                  Runs online, without interrupting calls.
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
    running: "Backup running…",
    ok: "Last backup completed.",
    broken: "Last backup is broken.",
    failed: "Last backup failed.",
  },
  verify: {
    running: "Verification running…",
    ok: "Last verified backup is intact.",
    broken: "Last verified backup is broken.",
    failed: "Last verification failed.",
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
        label={`Actions for ${name}`}
        items={[
          {
            label: "Verify",
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
    done: "Backup removed.",
    close: onClose,
  });
  return (
    <Confirm
      onClose={onClose}
      title="Remove backup?"
      word={name}
      submit="Remove"
      act={remove}
      onConfirm={() => remove.mutate({ params: { name }, body: { name } })}
    >
      The file is deleted. Downloaded copies are not affected.
    </Confirm>
  );
};
