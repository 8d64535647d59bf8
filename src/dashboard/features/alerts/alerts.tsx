import { useEffect } from "react";
import { useHasRole } from "#dashboard/app/session";
import { SettingsPage } from "#dashboard/app/settings";
import { Card } from "#dashboard/parts/card";
import { Chip, StateChip, toneOf } from "#dashboard/parts/chip";
import { type ItemOf, useList, useRefresh } from "#dashboard/parts/hooks";
import { Empty } from "#dashboard/parts/states";
import { type Column, Table } from "#dashboard/parts/table";
import { Time } from "#dashboard/parts/time";
import { AlertActions } from "./alert-actions";
import { AlertDestinations } from "./alert-destinations";
import { AlertRules } from "./alert-rules";
import { AlertSilences } from "./alert-silences";

type Alert = ItemOf<"GET /api/alerts">;

const WHAT: Column<Alert> = {
  name: "Alert",
  cell: ({ rule, text }) => (
    <>
      <span className="block font-medium">{rule}</span>
      <span className="block text-[13px] text-muted">{text}</span>
    </>
  ),
};
const SEVERITY: Column<Alert> = {
  name: "Severity",
  cell: ({ severity }) => <Chip tone={toneOf(severity)}>{severity}</Chip>,
};
const ACTIONS: Column<Alert> = {
  name: "Actions",
  hidden: true,
  align: "right",
  cell: (alert) => <AlertActions alert={alert} />,
};

const FIRING: readonly Column<Alert>[] = [
  WHAT,
  SEVERITY,
  { name: "State", cell: ({ silenced }) => <StateChip of={silenced ? "silenced" : "firing"} /> },
  { name: "Since", cell: ({ since }) => <Time at={since} /> },
  ACTIONS,
];
const HISTORY: readonly Column<Alert>[] = [
  WHAT,
  SEVERITY,
  { name: "Fired", cell: ({ fired_at }) => <Time at={fired_at} /> },
  { name: "Resolved", cell: ({ resolved_at }) => <Time at={resolved_at} /> },
  ACTIONS,
];

/** What is silenced comes and goes without being told of. */
const LOOK_MS = 15_000;

const AlertsScreen = () => {
  const isAdmin = useHasRole("admin");
  const refresh = useRefresh();
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, as long as the screen is there
  useEffect(() => {
    const timer = setInterval(() => void refresh("/api/alerts"), LOOK_MS);
    return () => clearInterval(timer);
  }, []);
  const firing = useList("GET /api/alerts", { query: { state: "firing" } });
  const history = useList("GET /api/alerts", { query: { state: "resolved" } });
  return (
    <SettingsPage title="Alerts" hint="Who is told when something is wrong with the hub, and of what.">
      <Card flush title="Firing now">
        <Table
          label="Alerts that fire"
          list={firing}
          columns={FIRING}
          keyOf={({ id }) => id}
          empty={<Empty title="Nothing fires.">Rules are measured several times a minute.</Empty>}
        />
      </Card>
      <AlertSilences />
      {isAdmin && <AlertDestinations />}
      <AlertRules />
      <Card flush title="History" hint="Alerts of the last 90 days that are over.">
        <Table
          label="Alerts that are over"
          list={history}
          columns={HISTORY}
          keyOf={({ id }) => id}
          empty={<Empty title="No alerts yet." />}
        />
      </Card>
    </SettingsPage>
  );
};

export default AlertsScreen;
