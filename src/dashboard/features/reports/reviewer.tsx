import { useState } from "react";
import { COMMANDS } from "#core/command-line";
import type { AnswerTo } from "#dashboard/api/client";
import { useHasRole } from "#dashboard/app/session";
import { SettingsPage } from "#dashboard/app/settings";
import { Button } from "#dashboard/parts/button";
import { Card, Facts, Stat } from "#dashboard/parts/card";
import { Chip } from "#dashboard/parts/chip";
import { HubCommand } from "#dashboard/parts/copy";
import { Confirm } from "#dashboard/parts/dialog";
import { useAct, useGet } from "#dashboard/parts/hooks";
import { numberOf, shareOf } from "#dashboard/parts/numbers";
import { Await, Empty } from "#dashboard/parts/states";

type State = AnswerTo<"GET /api/reviewer">;

const LOOK_MS = 30_000;

const ReviewerScreen = () => {
  const reviewer = useGet("GET /api/reviewer", {}, { everyMs: LOOK_MS });
  return (
    <SettingsPage title="Reviewer model" hint="Judges disputes and miss reports first. Uncertain cases go to people.">
      <Await query={reviewer}>
        {(state) => (state.model === null ? <NoReviewer /> : <Reviewer state={state} model={state.model} />)}
      </Await>
    </SettingsPage>
  );
};

const NoReviewer = () => (
  <Card>
    <Empty
      title="No reviewer model configured: people decide all reports."
      command={<HubCommand words={COMMANDS.serveWithReviewer()} />}
    >
      Set reviewer.model to a model of one of your providers and restart the hub.
    </Empty>
  </Card>
);

const Reviewer = ({ state, model }: { readonly state: State; readonly model: string }) => {
  const [resuming, setResuming] = useState(false);
  const isAdmin = useHasRole("admin");
  const chip = state.is_paused ? <Chip tone="bad">paused</Chip> : <Chip tone="ok">reviewing</Chip>;
  return (
    <>
      {state.is_paused && (
        <div
          role="status"
          className="flex flex-wrap items-center gap-3 rounded-lg border border-bad/40 bg-bad-soft px-4 py-3"
        >
          <p className="min-w-0 flex-1 basis-72 text-bad">
            It got a known case wrong and reads no more reports; people judge them until somebody trusts it again.
          </p>
          {isAdmin && <Button onClick={() => setResuming(true)}>Resume…</Button>}
        </div>
      )}
      <div className="grid gap-4 sm:grid-cols-3">
        <Stat label="Reviewed reports" value={numberOf(state.reviews)} />
        <Stat
          label="Canaries"
          value={numberOf(state.canaries)}
          note="Reports with a known answer; one wrong verdict pauses the model."
        />
        <Stat
          label="Reviews today"
          value={numberOf(state.readings_today)}
          note={
            state.daily_budget > 0 &&
            `${shareOf(state.readings_today / state.daily_budget)} of ${numberOf(state.daily_budget)} a day`
          }
        />
      </div>
      <Card title="Model">
        <Facts
          rows={[
            ["Model", model],
            ["Provider", state.provider ?? "first match by priority"],
            ["State", chip],
          ]}
        />
      </Card>
      {resuming && <Resume onClose={() => setResuming(false)} />}
    </>
  );
};

const Resume = ({ onClose }: { readonly onClose: () => void }) => {
  const resume = useAct("POST /api/reviewer/resume", {
    refresh: ["/api/reviewer"],
    done: "Reviewer model resumed.",
    close: onClose,
  });
  return (
    <Confirm
      onClose={onClose}
      title="Resume the reviewer model?"
      reason
      submit="Resume"
      act={resume}
      onConfirm={(reason) => resume.mutate({ body: { reason } })}
    >
      Check its wrong verdict first. Canaries continue.
    </Confirm>
  );
};

export default ReviewerScreen;
