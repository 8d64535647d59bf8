import { useState } from "react";
import type { AnswerTo } from "#dashboard/api/client";
import { useHasRole } from "#dashboard/app/session";
import { Button } from "#dashboard/parts/button";
import { Card, Facts } from "#dashboard/parts/card";
import { StateChip } from "#dashboard/parts/chip";
import { Id } from "#dashboard/parts/copy";
import { Confirm } from "#dashboard/parts/dialog";
import { useAct, useGet } from "#dashboard/parts/hooks";
import { TextLink } from "#dashboard/parts/page";
import { Await, Empty } from "#dashboard/parts/states";
import { Time } from "#dashboard/parts/time";
import { useAnswersFor } from "./agent-actions";
import { type AgentData, AgentFrame } from "./agent-frame";
import { EffectivePolicy } from "./agent-policy";
import { ProfileVersions } from "./agent-versions";

type Profile = NonNullable<AnswerTo<"GET /api/agents/:id/effective">["profile"]>;

const AgentProfileScreen = () => <AgentFrame>{(agent) => <Parts agent={agent} />}</AgentFrame>;

const Parts = ({ agent }: { readonly agent: AgentData }) => {
  const effective = useGet("GET /api/agents/:id/effective", { params: { id: agent.id } });
  const answers = useAnswersFor(agent) && agent.lifecycle !== "retired";
  return (
    <Await query={effective} lines={8}>
      {(data) => (
        <div className="grid items-start gap-4 xl:grid-cols-[1fr_2fr]">
          <div className="flex min-w-0 flex-col gap-4">
            {data.profile ? (
              <InForce agent={agent} profile={data.profile} />
            ) : (
              <Card title="In force">
                <Empty
                  title="No profile."
                  action={
                    <TextLink to={`/agents/${agent.id}/reviews`}>{answers ? "Start review" : "View reviews"}</TextLink>
                  }
                >
                  The baseline policy applies. An approved review creates a profile from its answers.
                </Empty>
              </Card>
            )}
            <ProfileVersions agent={agent} />
          </div>
          <EffectivePolicy rules={data.explain} />
        </div>
      )}
    </Await>
  );
};

const InForce = ({ agent, profile }: { readonly agent: AgentData; readonly profile: Profile }) => {
  const [revoking, setRevoking] = useState(false);
  const isAdmin = useHasRole("admin");
  return (
    <Card
      title={`In force: version ${profile.version}`}
      actions={
        isAdmin && (
          <Button small kind="danger" onClick={() => setRevoking(true)}>
            Revoke
          </Button>
        )
      }
    >
      <Facts
        rows={[
          ["Risk tier", <StateChip key="tier" of={profile.risk_tier} />],
          ["Mode", <StateChip key="mode" of={profile.mode} />],
          ["When the scanner fails", profile.fail_mode === "closed" ? "calls are refused" : "calls pass unscanned"],
          ["Sensitivity", profile.preset],
          ["Since", <Time key="since" at={profile.effective_from} />],
          [
            "From",
            profile.review_id ? (
              <TextLink key="review" to={`/reviews/${profile.review_id}`}>
                review
              </TextLink>
            ) : (
              "manual, by an administrator"
            ),
          ],
          ["Hash", <Id key="hash" value={profile.content_hash} />],
        ]}
      />
      {revoking && <Revoke agent={agent} onClose={() => setRevoking(false)} />}
    </Card>
  );
};

const Revoke = ({ agent, onClose }: { readonly agent: AgentData; readonly onClose: () => void }) => {
  const act = useAct("POST /api/agents/:id/profile/revoke", {
    refresh: ["/api/agents"],
    done: "Profile revoked.",
    close: onClose,
  });
  return (
    <Confirm
      onClose={onClose}
      title={`Revoke the profile of ${agent.name}`}
      word={agent.name}
      reason
      submit="Revoke"
      act={act}
      onConfirm={(reason) => act.mutate({ params: { id: agent.id }, body: { reason } })}
    >
      The baseline policy applies from the next call on, until another review is approved.
    </Confirm>
  );
};

export default AgentProfileScreen;
