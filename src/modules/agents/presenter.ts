import { type Agent, standingOf } from "#core/agent";
import { shownHalt } from "#http/halt";
import type { ShownAgent } from "./shown";

/** E-mail addresses by user id; an id stands for itself when its account is gone. */
type Emails = (userId: string) => string;

/** Whom `shownAgent` names. */
export const peopleOf = ({ owner_id, sponsor_id, halt }: Agent): (string | null)[] => [
  owner_id,
  sponsor_id,
  halt?.by ?? null,
];

/** An agent as people are shown it. Its review is shown as it stands at `now`. */
export const shownAgent = (agent: Agent, emails: Emails, now: number): ShownAgent => ({
  id: agent.id,
  name: agent.name,
  owner: emails(agent.owner_id),
  owner_id: agent.owner_id,
  sponsor: agent.sponsor_id === null ? null : emails(agent.sponsor_id),
  description: agent.description,
  environment: agent.environment,
  review_status: standingOf(agent, now),
  lifecycle: agent.lifecycle,
  suspended: agent.lifecycle === "suspended" && agent.halt !== null ? shownHalt(agent.halt, emails) : null,
  /** Whether a profile of its own governs it; else the hub's baseline does. */
  governed: agent.profile_version !== null && agent.lifecycle !== "retired" && agent.review_status !== "revoked",
  profile_version: agent.profile_version,
  review_due_at: agent.review_due_at === null ? null : new Date(agent.review_due_at).toISOString(),
  created_at: new Date(agent.created_at).toISOString(),
});
