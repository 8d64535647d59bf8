import { useState } from "react";
import { type AnswerTo, messageOf } from "#dashboard/api/client";
import { usePlace } from "#dashboard/features/inbox/inbox-place";
import { Button } from "#dashboard/parts/button";
import { Facts } from "#dashboard/parts/card";
import { StateChip, Tag } from "#dashboard/parts/chip";
import { CodeBlock } from "#dashboard/parts/copy";
import { Dialog } from "#dashboard/parts/dialog";
import { Input, TextArea } from "#dashboard/parts/field";
import { useAct, useGet } from "#dashboard/parts/hooks";
import { countOf } from "#dashboard/parts/numbers";
import { TextLink } from "#dashboard/parts/page";
import { Await, Wrong } from "#dashboard/parts/states";
import { Time } from "#dashboard/parts/time";

type Hold = AnswerTo<"GET /api/holds/:id">;

/** Agents of these tiers can do harm that stays: their calls are let pass by who has typed which. */
const TYPED: readonly (string | null)[] = ["high", "critical"];

/** A call that waits for a person, with what its tool would be given: allowed once, or denied. */
export const HoldDialog = ({
  id,
  onClose,
  onNext,
}: {
  readonly id: string;
  readonly onClose: () => void;
  readonly onNext: (id: string) => void;
}) => {
  const hold = useGet("GET /api/holds/:id", { params: { id } });
  return (
    <Dialog open onClose={onClose} title="Held call" hint="If allowed, exactly this call passes, once." wide>
      <Await query={hold}>{(data) => <Decision hold={data} onClose={onClose} onNext={onNext} />}</Await>
    </Dialog>
  );
};

const Decision = ({
  hold,
  onClose,
  onNext,
}: {
  readonly hold: Hold;
  readonly onClose: () => void;
  readonly onNext: (id: string) => void;
}) => {
  const [reason, setReason] = useState("");
  const [typed, setTyped] = useState("");
  const { next = null, waiting = 0 } = usePlace({ kind: "held_call", id: hold.id, since: hold.created_at }).data ?? {};
  // Where another one waits the window stays, and leads to it: it is read before it is decided.
  const done = waiting > 1 ? { quiet: true } : { close: onClose };
  const options = { refresh: ["/api/holds", "/api/inbox", "/api/overview"], ...done };
  const allow = useAct("POST /api/holds/:id/approve", { ...options, done: "Call allowed once." });
  const deny = useAct("POST /api/holds/:id/deny", { ...options, done: "Call denied." });
  const input = { params: { id: hold.id }, body: reason.trim() ? { reason: reason.trim() } : {} };
  const isTyped = TYPED.includes(hold.risk_tier);
  const error = allow.error ?? deny.error;
  const isBusy = allow.isPending || deny.isPending;
  return (
    <div className="flex flex-col gap-4">
      <Facts
        rows={[
          ["Tool", <Tag key="tool">{hold.tool}</Tag>],
          [
            "Agent",
            <TextLink key="agent" to={`/agents/${hold.agent_id}`}>
              {hold.agent}
            </TextLink>,
          ],
          ["Risk tier", hold.risk_tier ?? "no profile"],
          ["On behalf of", hold.asked_by],
          ["Reason of the hold", <Tag key="cause">{hold.cause}</Tag>],
          ["Source", hold.layer],
          ["Since", <Time key="since" at={hold.created_at} />],
          ["Expires", <Time key="until" at={hold.expires_at} />],
          ["State", <StateChip key="state" of={hold.state} />],
          [
            "Call",
            <TextLink key="call" to={`/calls/${hold.event_id}`}>
              held request
            </TextLink>,
          ],
        ]}
      />
      <section>
        <h3 className="mb-1 font-semibold">Tool arguments</h3>
        {hold.may_decide ? (
          <CodeBlock label="Arguments" text={JSON.stringify(hold.arguments, null, 2)} />
        ) : (
          <p className="text-muted">Arguments are shown only to those who may decide.</p>
        )}
      </section>
      {hold.state !== "waiting" && next && (
        <div className="flex items-center justify-end gap-2">
          <span className="mr-auto text-muted">{countOf(waiting, "held call")} left.</span>
          <Button onClick={onClose}>Close</Button>
          <Button kind="primary" autoFocus onClick={() => onNext(next.id)}>
            Next held call
          </Button>
        </div>
      )}
      {hold.state === "waiting" && hold.may_decide && (
        <>
          <TextArea
            label="Reason"
            hint="Recorded in the audit log."
            maxLength={2_000}
            value={reason}
            onValue={setReason}
          />
          {isTyped && (
            <Input
              label={`Type ${hold.tool} to allow it`}
              hint={`Risk tier of this agent: ${hold.risk_tier}.`}
              value={typed}
              onValue={setTyped}
              spellCheck={false}
            />
          )}
          {error && <Wrong>{messageOf(error)}</Wrong>}
          <div className="flex justify-end gap-2">
            <Button kind="danger" disabled={isBusy} busy={deny.isPending} onClick={() => deny.mutate(input)}>
              Deny
            </Button>
            <Button
              kind="primary"
              disabled={isBusy || (isTyped && typed.trim() !== hold.tool)}
              busy={allow.isPending}
              onClick={() => allow.mutate(input)}
            >
              Allow once
            </Button>
          </div>
        </>
      )}
      {hold.state !== "waiting" && (
        <p role="status" className="text-muted">
          The hold has ended: {hold.state}.
          {hold.state === "expired" && " The agent can repeat the call to request approval again."}
          {hold.state === "released" &&
            " The model's answer passed; the same call at the tool gateway passes once, too."}
        </p>
      )}
    </div>
  );
};
