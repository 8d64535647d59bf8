import { useState } from "react";
import type { AnswerTo } from "#dashboard/api/client";
import { useHasRole } from "#dashboard/app/session";
import { Button } from "#dashboard/parts/button";
import { Card } from "#dashboard/parts/card";
import { StateChip, spoken } from "#dashboard/parts/chip";
import { FormDialog } from "#dashboard/parts/dialog";
import { Select, TextArea } from "#dashboard/parts/field";
import { useAct } from "#dashboard/parts/hooks";
import { countOf } from "#dashboard/parts/numbers";
import { Time } from "#dashboard/parts/time";
import { DriftFeature, DriftLegend, type FeatureDrift } from "./agent-drift-feature";

type Drift = AnswerTo<"GET /api/agents/:id/health">["drift"];
type Doing = "acknowledge" | "rebaseline" | null;

const WHY: Readonly<Record<string, string>> = {
  no_baseline: "No drift baseline yet: it is collected from the first calls under an approved profile.",
  insufficient_data: "Too few calls since the drift baseline to compare.",
  stable: "Behaviour matches the drift baseline.",
  watch: "Behaviour deviates slightly from the drift baseline.",
  drifting: "Behaviour deviates from the drift baseline.",
};

const LEVELS = ["drifting", "watch", "stable"];

/** What moved furthest is read first. */
const worstFirst = (a: FeatureDrift, b: FeatureDrift): number =>
  LEVELS.indexOf(a.level) - LEVELS.indexOf(b.level) || b.psi - a.psi;

/** What an agent does now beside what it did when it was approved. */
export const AgentDrift = ({ id, drift }: { readonly id: string; readonly drift: Drift }) => {
  const [doing, setDoing] = useState<Doing>(null);
  const decides = useHasRole("admin", "reviewer");
  const moves = drift.status === "watch" || drift.status === "drifting";
  const close = () => setDoing(null);
  return (
    <Card
      title="Drift"
      actions={
        <>
          <StateChip of={drift.status} />
          {decides && moves && (
            <Button small onClick={() => setDoing("acknowledge")}>
              Acknowledge
            </Button>
          )}
          {decides && drift.status !== "no_baseline" && (
            <Button small onClick={() => setDoing("rebaseline")}>
              New baseline
            </Button>
          )}
        </>
      }
    >
      <div className="flex flex-col gap-3">
        <p>{WHY[drift.status] ?? spoken(drift.status)}</p>
        {drift.baseline && (
          <p className="text-[13px] text-muted">
            Baseline: {countOf(drift.baseline.calls, "call")} under profile v{drift.baseline.profile_version}, the last
            of them <Time at={drift.baseline.to} />. Now: {countOf(drift.current?.calls ?? 0, "call")}
            {drift.current && (
              <>
                , the first of them <Time at={drift.current.from} />
              </>
            )}
            .
          </p>
        )}
        {drift.acknowledged_until && (
          <p className="rounded-md bg-info-soft px-3 py-2 text-info">
            Somebody knows of it: it counts as stable until <Time at={drift.acknowledged_until} plain />.
          </p>
        )}
        {drift.first_seen.length > 0 && (
          <p className="rounded-md bg-warn-soft px-3 py-2 text-warn">
            Not in the baseline:{" "}
            {drift.first_seen
              .map(({ feature, name, uses }) => `${feature} ${name} (${countOf(uses, "call")})`)
              .join(", ")}
            .
          </p>
        )}
        {drift.features.length > 0 && <DriftLegend />}
        {drift.features.toSorted(worstFirst).map((feature) => (
          <DriftFeature key={feature.feature} feature={feature} />
        ))}
      </div>
      {doing === "acknowledge" && <Acknowledge id={id} onClose={close} />}
      {doing === "rebaseline" && <Rebaseline id={id} onClose={close} />}
    </Card>
  );
};

type Deciding = { readonly id: string; readonly onClose: () => void };

const DAY_MS = 86_400_000;
const SPANS = ["1", "7", "30", "90"] as const;

const Acknowledge = ({ id, onClose }: Deciding) => {
  const [reason, setReason] = useState("");
  const [days, setDays] = useState("7");
  const act = useAct("POST /api/agents/:id/drift/acknowledge", {
    refresh: ["/api/agents"],
    done: "Drift acknowledged.",
    close: onClose,
  });
  // A minute short of the longest: clocks differ.
  const until = () => new Date(Date.now() + Number(days) * DAY_MS - 60_000).toISOString();
  return (
    <FormDialog
      onClose={onClose}
      title="Acknowledge drift"
      hint="The drift status is stable until the acknowledgement expires."
      submit="Acknowledge"
      act={act}
      onSubmit={() => act.mutate({ params: { id }, body: { reason: reason.trim(), until: until() } })}
      disabled={reason.trim() === ""}
    >
      <Select
        label="Duration"
        value={days}
        onValue={setDays}
        choices={SPANS.map((value) => ({ value, label: value === "1" ? "1 day" : `${value} days` }))}
      />
      <TextArea label="Reason" required value={reason} onValue={setReason} />
    </FormDialog>
  );
};

const Rebaseline = ({ id, onClose }: Deciding) => {
  const [reason, setReason] = useState("");
  const act = useAct("POST /api/agents/:id/drift/rebaseline", {
    refresh: ["/api/agents"],
    done: "Collecting a new drift baseline.",
    close: onClose,
  });
  return (
    <FormDialog
      onClose={onClose}
      title="Start a new drift baseline"
      hint="The next calls become the new baseline. The old baseline is deleted."
      submit="Start"
      act={act}
      onSubmit={() => act.mutate({ params: { id }, body: { reason: reason.trim() } })}
      disabled={reason.trim() === ""}
      danger
    >
      <TextArea label="Reason" required value={reason} onValue={setReason} />
    </FormDialog>
  );
};
