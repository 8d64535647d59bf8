import type { Agent } from "#model/agent";
import type { Report } from "#model/report";
import { canDecide, canDecideNow, type Decidable, type Decider, REPORT_ROLES, type Ruling } from "./ruling";

/* Who may decide on what, for the service that decides and for the inbox alike. */

type Asked = Pick<Decidable, "eligible">;

/** `people` has the submitter, unless the account is gone: then nobody has asked. */
export const rulingOnReview = (
  user: Decider,
  { submitted_by, eligible }: Asked & { readonly submitted_by: string | null },
  { owner_id, sponsor_id }: Pick<Agent, "owner_id" | "sponsor_id">,
  people: readonly Pick<Decider, "id">[],
): Ruling => {
  const requesters = people.some(({ id }) => id === submitted_by) ? [submitted_by] : [];
  return canDecide(user, { requesters, owner_id, sponsor_id, eligible });
};

export const rulingOnProposal = (
  user: Decider,
  { proposed_by, eligible }: Asked & { readonly proposed_by: string },
): Ruling => canDecide(user, { requesters: [proposed_by], eligible });

/** A report is decided on as it comes in: nobody is asked for it. `people` are all who hold `REPORT_ROLES`. */
export const rulingOnReport = (
  user: Decider,
  { user_id }: Pick<Report, "user_id">,
  people: readonly Decider[],
): Ruling => canDecideNow(user, people, { evidence_by: [user_id] }, REPORT_ROLES);

/** So is drift of an agent. `people` are all who hold `DECIDING_ROLES`. */
export const rulingOnDrift = (
  user: Decider,
  { owner_id }: Pick<Agent, "owner_id">,
  people: readonly Decider[],
): Ruling => canDecideNow(user, people, { owner_id });
