import { useState } from "react";
import type { Answer } from "#dashboard/api/client";
import { messageOf, useAct } from "#dashboard/api/hooks";
import { useHasRole } from "#dashboard/app/session";
import { Button } from "#dashboard/parts/button";
import { Card } from "#dashboard/parts/card";
import { Chart } from "#dashboard/parts/chart";
import { StateChip, spoken } from "#dashboard/parts/chip";
import { Dialog, DialogForm } from "#dashboard/parts/dialog";
import { Select, TextArea } from "#dashboard/parts/field";
import { numberOf, shareOf } from "#dashboard/parts/numbers";
import { Time } from "#dashboard/parts/time";

type Drift = Answer<"GET /api/agents/:id/health">["drift"];
type Feature = Drift["features"][number];
type Doing = "acknowledge" | "rebaseline" | null;

const NAMES: Readonly<Record<string, string>> = {
  model: "Models",
  tool: "Tools",
  flags: "Findings",
  finish_reason: "How answers end",
  prompt_tokens: "Length of prompts, in tokens",
  output_tokens: "Length of answers, in tokens",
  hour_of_day: "Hour of the day",
};

const WHY: Readonly<Record<string, string>> = {
  no_baseline: "Nothing to compare with yet: a baseline is collected from the first calls under an approved profile.",
  insufficient_data: "There is a baseline; too few calls since then to compare.",
  stable: "It does what it did when it was approved.",
  watch: "Something is done differently than when it was approved.",
  drifting: "It does something else than when it was approved.",
};

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
            Baseline: {numberOf(drift.baseline.calls)} calls under profile v{drift.baseline.profile_version}, until{" "}
            <Time at={drift.baseline.to} />. Now: {numberOf(drift.current?.calls ?? 0)} calls
            {drift.current && (
              <>
                {" "}
                since <Time at={drift.current.from} />
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
            Never seen before:{" "}
            {drift.first_seen
              .map(({ feature, name, uses }) => `${feature} ${name} (${numberOf(uses)} calls)`)
              .join(", ")}
            .
          </p>
        )}
        {drift.features.map((feature) => (
          <FeatureBars key={feature.feature} feature={feature} />
        ))}
      </div>
      {doing === "acknowledge" && <Acknowledge id={id} onClose={close} />}
      {doing === "rebaseline" && <Rebaseline id={id} onClose={close} />}
    </Card>
  );
};

const FeatureBars = ({
  feature: { feature, level, psi, watch_at, drifting_at, bins },
}: {
  readonly feature: Feature;
}) => {
  const sums = bins.reduce((sum, it) => ({ before: sum.before + it.baseline, now: sum.now + it.current }), {
    before: 0,
    now: 0,
  });
  const rows = bins.map(({ name, baseline, current }) => ({
    name,
    before: sums.before === 0 ? 0 : baseline / sums.before,
    now: sums.now === 0 ? 0 : current / sums.now,
  }));
  const title = NAMES[feature] ?? spoken(feature);
  return (
    <section aria-label={title} className="border-t border-line pt-3">
      <h3 className="mb-2 flex flex-wrap items-center gap-2 font-medium">
        {title} <StateChip of={level} />
      </h3>
      <Chart
        summary={`Upper bar: baseline; lower bar: now. Index ${psi.toFixed(2)}; watched from ${watch_at.toFixed(2)}, drifting from ${drifting_at.toFixed(2)}.`}
        table={{
          columns: ["Value", "Baseline", "Now"],
          rows: rows.map(({ name, before, now }) => [name, shareOf(before), shareOf(now)]),
        }}
      >
        <ul className="flex flex-col gap-2">
          {rows.map(({ name, before, now }) => (
            <li key={name} className="grid grid-cols-[minmax(6rem,12rem)_1fr_auto] items-center gap-2">
              <span className="truncate" title={name}>
                {name}
              </span>
              <span className="flex flex-col gap-0.5">
                <span className="block h-1.5 rounded-full bg-strong-line" style={{ width: `${before * 100}%` }} />
                <span className="block h-1.5 rounded-full bg-accent" style={{ width: `${now * 100}%` }} />
              </span>
              <span className="text-right text-[13px] text-muted">
                {shareOf(before)} → {shareOf(now)}
              </span>
            </li>
          ))}
        </ul>
      </Chart>
    </section>
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
    done: "Noted: it counts as stable until then.",
    quiet: true,
    onDone: onClose,
  });
  // A minute short of the longest: clocks differ.
  const until = () => new Date(Date.now() + Number(days) * DAY_MS - 60_000).toISOString();
  return (
    <Dialog
      open
      onClose={onClose}
      title="Acknowledge the drift"
      hint="You know why it changed; it counts as stable for a while."
    >
      <DialogForm
        submit="Acknowledge"
        busy={act.isPending}
        error={act.error && messageOf(act.error)}
        onCancel={onClose}
        onSubmit={() => act.mutate({ params: { id }, body: { reason: reason.trim(), until: until() } })}
        disabled={reason.trim() === ""}
      >
        <Select
          label="For"
          value={days}
          onChange={(event) => setDays(event.target.value)}
          choices={SPANS.map((value) => ({ value, label: value === "1" ? "1 day" : `${value} days` }))}
        />
        <TextArea label="Reason" required value={reason} onChange={(event) => setReason(event.target.value)} />
      </DialogForm>
    </Dialog>
  );
};

const Rebaseline = ({ id, onClose }: Deciding) => {
  const [reason, setReason] = useState("");
  const act = useAct("POST /api/agents/:id/drift/rebaseline", {
    refresh: ["/api/agents"],
    done: "A new baseline is collected from now on.",
    quiet: true,
    onDone: onClose,
  });
  return (
    <Dialog
      open
      onClose={onClose}
      title="Begin a new baseline"
      hint="What it does from now on becomes what it is compared with. The old baseline is gone."
    >
      <DialogForm
        submit="Begin"
        busy={act.isPending}
        error={act.error && messageOf(act.error)}
        onCancel={onClose}
        onSubmit={() => act.mutate({ params: { id }, body: { reason: reason.trim() } })}
        disabled={reason.trim() === ""}
        danger
      >
        <TextArea label="Reason" required value={reason} onChange={(event) => setReason(event.target.value)} />
      </DialogForm>
    </Dialog>
  );
};
