import type { GuardrailProfile, ProfileBody } from "./profile";

type Row = Pick<GuardrailProfile, "id" | "agent_id" | "version" | "content_hash" | "review_id" | "approved_by"> & {
  readonly body: ProfileBody;
  /** Unix milliseconds. */
  readonly effective_from: number;
};

/** A stored profile as it is shown. `inForce` is the agent's `profile_version`; none in force means it was revoked. */
export const publishedProfile = (
  { body, effective_from, approved_by, ...row }: Row,
  inForce: number | null,
  newest: number,
): GuardrailProfile => ({
  ...row,
  status: statusOf(row.version, inForce, newest),
  approved_by: [...approved_by],
  effective_from: new Date(effective_from).toISOString(),
  ...body,
});

const statusOf = (version: number, inForce: number | null, newest: number): GuardrailProfile["status"] => {
  if (version === inForce) return "active";
  return inForce === null && version === newest ? "revoked" : "superseded";
};
