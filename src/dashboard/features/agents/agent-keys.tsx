import { Plus } from "lucide-react";
import { useState } from "react";
import { useHasRole, useMe } from "#dashboard/app/session";
import { NewKey } from "#dashboard/features/keys/key-new";
import { Button } from "#dashboard/parts/button";
import { Card } from "#dashboard/parts/card";
import { StateChip } from "#dashboard/parts/chip";
import { type ItemOf, useList } from "#dashboard/parts/hooks";
import { TextLink } from "#dashboard/parts/page";
import { Failed, Loading } from "#dashboard/parts/states";
import { Time } from "#dashboard/parts/time";
import { useAnswersFor } from "./agent-actions";
import type { AgentData } from "./agent-frame";

type Key = ItemOf<"GET /api/tokens">;

/** The keys of an agent, newest first, for who may see them. */
export const useAgentKeys = (agent: Pick<AgentData, "id">) => {
  const all = useHasRole("admin", "auditor");
  return useList("GET /api/tokens", { query: { agent_id: agent.id, ...(all && { all }) } });
};

/** Shown here; the others are under Settings. */
const FEW = 5;
const IN_USE: readonly string[] = ["active", "rotated", "disabled"];

/** Its keys. Others than its owner, administrators and auditors are not told of them. */
export const AgentKeys = ({ agent }: { readonly agent: AgentData }) => {
  const isOwner = useMe().user.id === agent.owner_id;
  const seesAll = useHasRole("admin", "auditor");
  return isOwner || seesAll ? <Keys agent={agent} /> : null;
};

const Keys = ({ agent }: { readonly agent: AgentData }) => {
  const [adding, setAdding] = useState(false);
  const list = useAgentKeys(agent);
  const answers = useAnswersFor(agent) && agent.lifecycle !== "retired";
  const used = list.items.filter(({ state }) => IN_USE.includes(state));
  return (
    <Card
      title="Keys"
      actions={
        <>
          <TextLink to={`/settings/keys?agent=${agent.id}`}>All keys</TextLink>
          {answers && (
            <Button small icon={Plus} onClick={() => setAdding(true)}>
              New key
            </Button>
          )}
        </>
      }
    >
      {list.isPending ? (
        <Loading lines={2} />
      ) : list.error ? (
        <Failed error={list.error} onRetry={() => void list.refetch()} />
      ) : used.length === 0 ? (
        <p className="text-muted">No key in use.</p>
      ) : (
        <ul className="flex flex-col gap-3">
          {used.slice(0, FEW).map((key) => (
            <KeyRow key={key.id} item={key} />
          ))}
          {used.length > FEW && <li className="text-muted">and {used.length - FEW} more</li>}
        </ul>
      )}
      {adding && <NewKey agent={agent.id} onClose={() => setAdding(false)} />}
    </Card>
  );
};

const KeyRow = ({ item: { name, display, state, last_used_at, expires_at } }: { readonly item: Key }) => (
  <li className="min-w-0">
    <p className="flex flex-wrap items-center gap-2">
      <span className="font-medium wrap-anywhere">{name ?? "no name"}</span>
      <StateChip of={state} />
    </p>
    <p className="text-[13px] text-muted">
      <code className="font-mono text-xs">{display}</code> · last used <Time at={last_used_at} />
      {expires_at && (
        <>
          {" "}
          · expires <Time at={expires_at} />
        </>
      )}
    </p>
  </li>
);
