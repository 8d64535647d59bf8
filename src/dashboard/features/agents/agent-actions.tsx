import { Ban, CirclePause, CirclePlay, Pencil, Power } from "lucide-react";
import { useState } from "react";
import type { AnswerTo } from "#dashboard/api/client";
import { useHasRole, useMe } from "#dashboard/app/session";
import { Button } from "#dashboard/parts/button";
import { Confirm } from "#dashboard/parts/dialog";
import { useAct } from "#dashboard/parts/hooks";
import { Menu } from "#dashboard/parts/menu";
import { Halted, isOwners } from "#dashboard/parts/states";
import { EditAgent } from "./agent-edit";

type Agent = AnswerTo<"GET /api/agents/:id">;
type Doing = "edit" | "suspend" | "retire" | "kill" | null;

const CHANGES = ["/api/agents", "/api/overview", "/api/map"] as const;

/** Whether who looks answers for this agent: its owner, and administrators. */
export const useAnswersFor = (agent: Pick<Agent, "owner_id">): boolean => {
  const isAdmin = useHasRole("admin");
  return useMe().user.id === agent.owner_id || isAdmin;
};

/** What can be done with an agent as a whole, for who may. */
export const AgentActions = ({ agent }: { readonly agent: Agent }) => {
  const [doing, setDoing] = useState<Doing>(null);
  const isAdmin = useHasRole("admin");
  const answers = useAnswersFor(agent);
  const resume = useAct("POST /api/agents/:id/resume", { refresh: CHANGES, done: "Agent resumed." });
  const isRetired = agent.lifecycle === "retired";
  if (isRetired || !answers) return null;
  const close = () => setDoing(null);
  return (
    <>
      {agent.lifecycle === "suspended" && !isAdmin && !isOwners(agent.suspended) ? (
        <Halted suspension={agent.suspended} act="resume" />
      ) : agent.lifecycle === "suspended" ? (
        <Button icon={CirclePlay} busy={resume.isPending} onClick={() => resume.mutate({ params: { id: agent.id } })}>
          Resume
        </Button>
      ) : (
        <Button icon={CirclePause} onClick={() => setDoing("suspend")}>
          Suspend
        </Button>
      )}
      <Menu
        label={`More actions for ${agent.name}`}
        items={[
          { label: "Edit details", icon: Pencil, onSelect: () => setDoing("edit") },
          isAdmin && { label: "Kill switch", icon: Power, danger: true, onSelect: () => setDoing("kill") },
          { label: "Retire", icon: Ban, danger: true, onSelect: () => setDoing("retire") },
        ]}
      />
      {doing === "edit" && <EditAgent agent={agent} onClose={close} />}
      {doing === "suspend" && <Suspend agent={agent} onClose={close} />}
      {doing === "kill" && <Kill agent={agent} onClose={close} />}
      {doing === "retire" && <Retire agent={agent} onClose={close} />}
    </>
  );
};

type Doable = { readonly agent: Agent; readonly onClose: () => void };

const Suspend = ({ agent, onClose }: Doable) => {
  const act = useAct("POST /api/agents/:id/suspend", {
    refresh: CHANGES,
    done: "Agent suspended.",
    close: onClose,
  });
  return (
    <Confirm
      onClose={onClose}
      title={`Suspend ${agent.name}`}
      reason
      submit="Suspend"
      act={act}
      onConfirm={(reason) => act.mutate({ params: { id: agent.id }, body: { reason } })}
    >
      All calls of the agent are refused from the next call on, until it is resumed.
    </Confirm>
  );
};

const Kill = ({ agent, onClose }: Doable) => {
  const act = useAct("POST /api/killswitch", {
    refresh: [...CHANGES, "/api/killswitch"],
    done: "Kill switch activated. Deactivate it in Settings, Kill switch.",
    close: onClose,
  });
  return (
    <Confirm
      onClose={onClose}
      title={`Activate the kill switch for ${agent.name}`}
      word={agent.name}
      reason
      submit="Activate kill switch"
      act={act}
      onConfirm={(reason) => act.mutate({ body: { level: "agent", target: agent.id, reason } })}
    >
      All calls of the agent are refused and open streams end now. An administrator deactivates the switch in Settings.
    </Confirm>
  );
};

const Retire = ({ agent, onClose }: Doable) => {
  const act = useAct("POST /api/agents/:id/retire", {
    refresh: CHANGES,
    done: "Agent retired.",
    close: onClose,
  });
  return (
    <Confirm
      onClose={onClose}
      title={`Retire ${agent.name}`}
      word={agent.name}
      submit="Retire permanently"
      act={act}
      onConfirm={() => act.mutate({ params: { id: agent.id }, body: { confirm: agent.name } })}
    >
      Permanent: the agent's keys are revoked and its tools unassigned. Its audit records remain.
    </Confirm>
  );
};
