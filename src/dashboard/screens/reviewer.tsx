import { useState } from "react";
import { COMMANDS } from "#core/command-line";
import type { Answer } from "#dashboard/api/client";
import { useAct, useGet } from "#dashboard/api/hooks";
import { useHasRole } from "#dashboard/app/session";
import { SettingsPage } from "#dashboard/app/settings";
import { Button } from "#dashboard/parts/button";
import { Card, Facts, Stat } from "#dashboard/parts/card";
import { Chip } from "#dashboard/parts/chip";
import { Confirm } from "#dashboard/parts/dialog";
import { HubCommand } from "#dashboard/parts/hub-command";
import { numberOf, shareOf } from "#dashboard/parts/numbers";
import { Await, Empty } from "#dashboard/parts/states";

type State = Answer<"GET /api/reviewer">;

const LOOK_MS = 30_000;

const ReviewerScreen = () => {
  const reviewer = useGet("GET /api/reviewer", {}, { everyMs: LOOK_MS });
  return (
    <SettingsPage
      title="Reviewer model"
      hint="A model reads reports of false alarms and misses first. What it is unsure of, and all it may not decide, goes to people."
    >
      <Await query={reviewer}>
        {(state) => (state.model === null ? <NoReviewer /> : <Reviewer state={state} model={state.model} />)}
      </Await>
    </SettingsPage>
  );
};

const NoReviewer = () => (
  <Card>
    <Empty
      title="No reviewer is set: people read all reports."
      command={<HubCommand words={COMMANDS.serveWithReviewer()} />}
    >
      Name a model of one of your providers in the configuration (reviewer.model) and start the hub again.
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
          {isAdmin && <Button onClick={() => setResuming(true)}>Let it go on…</Button>}
        </div>
      )}
      <div className="grid gap-4 sm:grid-cols-3">
        <Stat label="Reports it has read" value={numberOf(state.reviews)} />
        <Stat
          label="Known cases it was tried with"
          value={numberOf(state.canaries)}
          note="Answers are known; one wrong answer pauses it."
        />
        <Stat
          label="Readings today"
          value={numberOf(state.readings_today)}
          note={
            state.daily_budget > 0 &&
            `${shareOf(state.readings_today / state.daily_budget)} of ${numberOf(state.daily_budget)} a day`
          }
        />
      </div>
      <Card title="The model">
        <Facts
          rows={[
            ["Model", model],
            ["Provider", state.provider ?? "whichever has it"],
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
    done: "It reads reports again.",
    close: onClose,
  });
  return (
    <Confirm
      onClose={onClose}
      title="Let the reviewer go on?"
      reason
      submit="Let it go on"
      act={resume}
      onConfirm={(reason) => resume.mutate({ body: { reason } })}
    >
      Look first at what it got wrong. Known cases go on being mixed in.
    </Confirm>
  );
};

export default ReviewerScreen;
