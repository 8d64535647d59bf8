import { useState } from "react";
import { useHasRole } from "#dashboard/app/session";
import { Button } from "#dashboard/parts/button";
import { Card } from "#dashboard/parts/card";
import { FormDialog } from "#dashboard/parts/dialog";
import { Checkbox, Input, Select } from "#dashboard/parts/field";
import { type ItemOf, useAct, useList } from "#dashboard/parts/hooks";
import { type Column, Table } from "#dashboard/parts/table";
import { Time } from "#dashboard/parts/time";

type Alert = ItemOf<"GET /api/alerts">;
type Silence = ItemOf<"GET /api/alert-silences">;

const REFRESH = ["/api/alert-silences", "/api/alerts"] as const;

const COLUMNS: readonly Column<Silence>[] = [
  { name: "Rule", cell: ({ rule_id }) => rule_id ?? "all" },
  { name: "About", cell: ({ subject }) => subject ?? "all" },
  { name: "Until", cell: ({ until }) => <Time at={until} plain /> },
  { name: "Reason", cell: ({ reason }) => reason, minor: true },
  { name: "By", cell: ({ created_by }) => created_by ?? "command line", minor: true },
];

const END: Column<Silence> = {
  name: "Actions",
  hidden: true,
  align: "right",
  cell: (silence) => <EndSilence silence={silence} />,
};

const EndSilence = ({ silence }: { readonly silence: Silence }) => {
  const end = useAct("DELETE /api/alert-silences/:id", { refresh: REFRESH, done: "Silence ended." });
  return (
    <Button busy={end.isPending} onClick={() => end.mutate({ params: { id: silence.id } })}>
      End
    </Button>
  );
};

/** Those in force; nothing where there are none. */
export const AlertSilences = () => {
  const isAdmin = useHasRole("admin");
  const list = useList("GET /api/alert-silences", {});
  if (list.items.length === 0) return null;
  return (
    <Card flush title="Silences">
      <Table
        label="Silences"
        list={list}
        columns={isAdmin ? [...COLUMNS, END] : COLUMNS}
        keyOf={({ id }) => id}
        empty={null}
      />
    </Card>
  );
};

const SPANS = [
  { value: "1", label: "An hour" },
  { value: "4", label: "Four hours" },
  { value: "24", label: "A day" },
  { value: "168", label: "A week" },
] as const;

const HOUR_MS = 3_600_000;

export const SilenceForm = ({ alert, onClose }: { readonly alert: Alert; readonly onClose: () => void }) => {
  const [hours, setHours] = useState<(typeof SPANS)[number]["value"]>("1");
  const [reason, setReason] = useState("");
  const [isAll, setIsAll] = useState(false);
  const silence = useAct("POST /api/alert-silences", { refresh: REFRESH, close: onClose, done: "Silenced." });
  const save = () => {
    const until = new Date(Date.now() + Number(hours) * HOUR_MS).toISOString();
    const subject = isAll || alert.subject === "" ? null : alert.subject;
    silence.mutate({ body: { rule_id: alert.rule_id, subject, until, reason: reason.trim() } });
  };
  return (
    <FormDialog
      onClose={onClose}
      title={`Silence: ${alert.rule}`}
      hint="Nobody is told meanwhile. What still fires at the end is told of then."
      submit="Silence"
      act={silence}
      disabled={reason.trim() === ""}
      onSubmit={save}
    >
      <Select label="For" value={hours} onValue={setHours} choices={SPANS} />
      {alert.label !== null && (
        <Checkbox label={`Not only ${alert.label}: all alerts of this rule`} checked={isAll} onValue={setIsAll} />
      )}
      <Input label="Reason" maxLength={500} value={reason} onValue={setReason} />
    </FormDialog>
  );
};
