import { useParams } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { AnswerTo } from "#dashboard/api/client";
import { Chip, StateChip } from "#dashboard/parts/chip";
import { useGet } from "#dashboard/parts/hooks";
import { Page, TextLink } from "#dashboard/parts/page";
import { Await } from "#dashboard/parts/states";
import { AgentActions } from "./agent-actions";
import { AgentNotices, useSuspensions } from "./agent-notices";

export type AgentData = AnswerTo<"GET /api/agents/:id">;

const tabsOf = (id: string) => [
  { to: `/agents/${id}`, label: "Overview" },
  { to: `/agents/${id}/profile`, label: "Profile" },
  { to: `/agents/${id}/tools`, label: "Tools" },
  { to: `/agents/${id}/tuning`, label: "Tuning" },
  { to: `/agents/${id}/reports`, label: "Reports" },
  { to: `/agents/${id}/reviews`, label: "Reviews" },
  { to: `/agents/${id}/activity`, label: "Activity" },
];

/** What stands around every part of an agent's screen: its name, how it stands, what can be done with it. */
export const AgentFrame = ({ children }: { readonly children: (agent: AgentData) => ReactNode }) => {
  const { id = "" } = useParams({ strict: false });
  const agent = useGet("GET /api/agents/:id", { params: { id } });
  const isSuspended = useSuspensions(id).length > 0;
  return (
    <Await query={agent}>
      {(data) => (
        <Page
          title={data.name}
          above={<TextLink to="/agents">Agents</TextLink>}
          hint={data.description ?? undefined}
          chips={
            <>
              <StateChip of={data.lifecycle === "active" && isSuspended ? "suspended" : data.lifecycle} />
              <Chip tone={data.governed ? "ok" : "warn"}>
                {data.governed ? `profile v${data.profile_version}` : "baseline only"}
              </Chip>
            </>
          }
          actions={<AgentActions agent={data} />}
          tabs={tabsOf(data.id)}
        >
          <AgentNotices agent={data} />
          {children(data)}
        </Page>
      )}
    </Await>
  );
};
