import { changeRecord, HUB_ACTOR } from "#model/change";
import type { HubEvent } from "#model/event";
import type { Clock } from "#platform/clock";
import type { Ids } from "#platform/ids";
import type { Log } from "#platform/log";

type UntrustedNeeds = {
  readonly model: string;
  readonly provider: string | null;
  readonly writeRecord: (line: string) => Promise<void>;
  readonly emit: (event: HubEvent) => Promise<void>;
  readonly log: Log;
  readonly now: Clock;
  readonly ids: Ids;
};

/** Tells operators, the record and subscribers that the reviewing model has failed a canary. */
export const untrustedReviewer =
  ({ model, provider, writeRecord, emit, log, now, ids }: UntrustedNeeds) =>
  async (canary: string): Promise<void> => {
    log.error("reviewer.untrusted", { model, canary });
    const [kind, id, at] = ["system.reviewer_untrusted", ids(), now()] as const;
    const about = { subject: "reviewer", subject_id: model };
    const change = { kind, by: HUB_ACTOR, ...about, detail: { provider, canary } };
    await writeRecord(changeRecord(change, { id, at }));
    await emit({ id, type: kind, at, agent_id: null, user_id: null, ...about });
  };
