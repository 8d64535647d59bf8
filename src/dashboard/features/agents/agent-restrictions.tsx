import { Plus } from "lucide-react";
import { useState } from "react";
import { useHasRole, useMe } from "#dashboard/app/session";
import { Button } from "#dashboard/parts/button";
import { Card } from "#dashboard/parts/card";
import { Chip, spoken, Tag } from "#dashboard/parts/chip";
import { Id } from "#dashboard/parts/copy";
import { Confirm } from "#dashboard/parts/dialog";
import { type ItemOf, useAct, useList } from "#dashboard/parts/hooks";
import { Failed, Loading } from "#dashboard/parts/states";
import { Time } from "#dashboard/parts/time";
import { useAnswersFor } from "./agent-actions";
import type { AgentData } from "./agent-frame";
import { NewRestriction } from "./agent-restrict";
import { RestrictionTimeline } from "./agent-restriction-timeline";

type Restriction = ItemOf<"GET /api/agents/:id/restrictions">;

const CONTAINED: Readonly<Record<string, string>> = { calls: "calls", tools: "tools", streams: "open streams" };

/** What an agent may not do for a while, and may not have done before. */
export const AgentRestrictions = ({ agent }: { readonly agent: AgentData }) => {
  const [setting, setSetting] = useState(false);
  const list = useList("GET /api/agents/:id/restrictions", { params: { id: agent.id }, query: { limit: "20" } });
  const isAnalyst = useHasRole("analyst");
  const answers = useAnswersFor(agent);
  const maySet = (answers || isAnalyst) && agent.lifecycle !== "retired";
  return (
    <Card
      title="Restrictions"
      hint="Temporary limits. They expire, or are lifted."
      actions={
        maySet && (
          <Button small icon={Plus} onClick={() => setSetting(true)}>
            Restrict
          </Button>
        )
      }
    >
      {list.isPending && <Loading lines={3} />}
      {list.error && list.items.length === 0 && <Failed error={list.error} onRetry={() => void list.refetch()} />}
      {!list.isPending && !list.error && list.items.length === 0 && (
        <p className="py-4 text-center text-muted">No restrictions yet.</p>
      )}
      {list.items.length > 0 && (
        <div className="mb-4 border-b border-line pb-3">
          <RestrictionTimeline of={list.items} />
        </div>
      )}
      <ol className="flex flex-col">
        {list.items.map((one) => (
          <Entry key={one.id} restriction={one} isOwner={answers} />
        ))}
      </ol>
      {list.hasNextPage && (
        <Button kind="quiet" small busy={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
          Show more
        </Button>
      )}
      {setting && <NewRestriction agent={agent} short={!answers} onClose={() => setSetting(false)} />}
    </Card>
  );
};

const Entry = ({ restriction: it, isOwner }: { readonly restriction: Restriction; readonly isOwner: boolean }) => {
  const [lifting, setLifting] = useState(false);
  const me = useMe().user;
  const params = Object.entries(it.params);
  const mayLift =
    me.role === "admin" ||
    (me.role === "analyst" && it.source === "automatic") ||
    ((isOwner || me.role === "analyst") && it.set_by === me.id);
  return (
    <li className="relative border-l-2 border-line pb-4 pl-4 last:pb-0">
      <span
        className={`absolute top-1.5 -left-[5px] size-2 rounded-full ${it.in_force ? "bg-warn" : "bg-strong-line"}`}
        aria-hidden
      />
      <div className="flex flex-wrap items-center gap-2">
        <span className="font-medium">{spoken(it.kind)}</span>
        <Chip tone={it.in_force ? "warn" : "idle"}>{it.in_force ? "in force" : it.lift ? "lifted" : "expired"}</Chip>
        <Tag>{it.source}</Tag>
        {it.in_force && mayLift && (
          <Button small className="ml-auto" onClick={() => setLifting(true)}>
            Lift
          </Button>
        )}
      </div>
      <p className="break-words">{it.reason}</p>
      {params.length > 0 && (
        <p className="flex flex-wrap gap-1 py-0.5">
          {params.map(([name, value]) => (
            <Tag key={name}>{`${spoken(name)}: ${Array.isArray(value) ? value.join(", ") : String(value)}`}</Tag>
          ))}
        </p>
      )}
      <Course restriction={it} />
      {lifting && <Lift restriction={it} onClose={() => setLifting(false)} />}
    </li>
  );
};

/** When it was set and how it ends, and where it holds. */
const Course = ({ restriction: it }: { readonly restriction: Restriction }) => (
  <>
    <p className="text-[13px] text-muted">
      Set <Time at={it.starts_at} />
      <Ending of={it} />
      {it.trigger && `; triggered by the rule “${spoken(it.trigger.rule)}”`} <Id value={it.id} />
    </p>
    {it.in_force && (
      <p className="text-[13px] text-muted">
        {it.contained ? "Enforced: " : "Not enforced everywhere yet: "}
        {it.receipts.map(({ point }) => CONTAINED[point] ?? point).join(", ") || "none"}.
      </p>
    )}
  </>
);

const Ending = ({ of: { lift, expires_at, in_force } }: { readonly of: Restriction }) => {
  if (lift) {
    return (
      <>
        ; lifted <Time at={lift.at} />
        {lift.reason && `: ${lift.reason}`}
      </>
    );
  }
  if (expires_at === null) return "; in force until lifted";
  return (
    <>
      {in_force ? "; ends " : "; ended "}
      <Time at={expires_at} />
    </>
  );
};

const Lift = ({ restriction, onClose }: { readonly restriction: Restriction; readonly onClose: () => void }) => {
  const act = useAct("POST /api/agents/:id/restrictions/:rid/lift", {
    refresh: ["/api/agents"],
    done: "Restriction lifted.",
    close: onClose,
  });
  const { id, agent_id, kind } = restriction;
  return (
    <Confirm
      onClose={onClose}
      title="Lift restriction"
      reason
      submit="Lift"
      act={act}
      onConfirm={(reason) => act.mutate({ params: { id: agent_id, rid: id }, body: { reason } })}
    >
      The restriction “{spoken(kind)}” no longer applies from the agent's next call on.
    </Confirm>
  );
};
