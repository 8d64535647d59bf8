import { OctagonX } from "lucide-react";
import { useState } from "react";
import { COMMANDS } from "#core/command-line";
import { useHasRole } from "#dashboard/app/session";
import { SettingsPage } from "#dashboard/app/settings";
import { Button } from "#dashboard/parts/button";
import { Card } from "#dashboard/parts/card";
import { Chip } from "#dashboard/parts/chip";
import { HubCommand } from "#dashboard/parts/copy";
import { Confirm } from "#dashboard/parts/dialog";
import { useOpened } from "#dashboard/parts/filters";
import { type ItemOf, useAct, useList } from "#dashboard/parts/hooks";
import { Empty } from "#dashboard/parts/states";
import { type Column, Table } from "#dashboard/parts/table";
import { Time } from "#dashboard/parts/time";
import { SwitchOn } from "./kill-switch-on";

type KillSwitch = ItemOf<"GET /api/killswitch">;

const LEVELS: Readonly<Record<KillSwitch["level"], string>> = {
  all: "Everything",
  agent: "Agent",
  owner: "All agents and keys of",
  tool_server: "Tool server",
  model: "Model",
};

const COLUMNS: readonly Column<KillSwitch>[] = [
  {
    name: "Scope",
    cell: ({ level, target, target_name }) => (
      <span className="font-medium">
        {LEVELS[level]} {target_name ?? target}
      </span>
    ),
  },
  { name: "Reason", cell: ({ reason }) => <span className="line-clamp-2 max-w-md">{reason}</span>, minor: true },
  {
    name: "Activated",
    cell: ({ set_at, set_by_email }) => (
      <>
        <Time at={set_at} />
        {set_by_email && <span className="block text-[13px] text-muted">{set_by_email}</span>}
      </>
    ),
  },
];

const HELD: Column<KillSwitch> = {
  name: "State",
  cell: ({ contained, receipts }) =>
    contained ? <Chip tone="bad">Enforced</Chip> : <Chip tone="warn">Enforcing: {receipts.length} of 3</Chip>,
};

const LIFTED: Column<KillSwitch> = {
  name: "Deactivated",
  cell: ({ lift, lifted_by_email }) =>
    lift && (
      <>
        <Time at={lift.at} />
        <span className="block text-[13px] text-muted">
          {lifted_by_email && `${lifted_by_email}: `}
          {lift.reason}
        </span>
      </>
    ),
};

const KillSwitchScreen = () => {
  const [stopping, setStopping] = useOpened("stop");
  const isAdmin = useHasRole("admin");
  const list = useList("GET /api/killswitch", {});
  const on = list.items.filter((item) => item.on);
  const off = list.items.filter((item) => !item.on);
  const lift: Column<KillSwitch> = {
    name: "Actions",
    hidden: true,
    align: "right",
    cell: (item) => <SwitchOff item={item} />,
  };
  const stop = isAdmin && (
    <Button kind="danger" icon={OctagonX} onClick={() => setStopping(true)}>
      Activate…
    </Button>
  );
  return (
    <SettingsPage
      title="Kill switch"
      hint="Refuses all calls of an agent, a user, a tool server, a model or everything, including open streams, until deactivated."
      actions={stop}
    >
      <Card flush title="Active">
        <Table
          label="Active kill switches"
          list={{ ...list, items: on }}
          columns={[...COLUMNS, HELD, ...(isAdmin ? [lift] : [])]}
          keyOf={({ id }) => id}
          empty={
            <Empty title="No active kill switch." command={<HubCommand words={COMMANDS.stopAll()} />}>
              The command works on the host of the hub, even when nobody can sign in.
            </Empty>
          }
        />
      </Card>
      {off.length > 0 && (
        <Card flush title="Earlier">
          <Table
            label="Earlier kill switches"
            list={{ ...list, items: off }}
            columns={[...COLUMNS, LIFTED]}
            keyOf={({ id }) => id}
            empty={null}
          />
        </Card>
      )}
      {isAdmin && stopping && <SwitchOn onClose={() => setStopping(false)} />}
    </SettingsPage>
  );
};

const SwitchOff = ({ item }: { readonly item: KillSwitch }) => {
  const [asking, setAsking] = useState(false);
  const close = () => setAsking(false);
  const off = useAct("POST /api/killswitch/:id/lift", {
    refresh: ["/api/killswitch", "/api/overview"],
    done: "Kill switch deactivated.",
    close,
  });
  return (
    <>
      <Button small onClick={() => setAsking(true)}>
        Deactivate…
      </Button>
      {asking && (
        <Confirm
          onClose={close}
          title="Deactivate kill switch?"
          reason
          submit="Deactivate"
          act={off}
          onConfirm={(reason) => off.mutate({ params: { id: item.id }, body: { reason } })}
        >
          Reason of the activation: {item.reason}
        </Confirm>
      )}
    </>
  );
};

export default KillSwitchScreen;
