import { GuardError } from "#core/errors";
import { personActor } from "#model/change";
import type { DisputeVerdict, Report } from "#model/report";
import type { Person } from "#model/session";
import { resultsOf } from "./results";
import type { BulkKind, InboxDecisions, InboxResults } from "./schema";

type Item = InboxDecisions["items"][number];
type Given = Pick<InboxDecisions, "decision" | "comment">;
type Decide = (person: Person, item: Item, given: Given) => Promise<unknown>;
type Acting = Pick<Person, "user"> & { readonly by: ReturnType<typeof personActor> };

/** The services that decide on one thing at a time, and say who may. */
export type DecidingServices = {
  readonly reports: { byId(id: string): Promise<Report | null> };
  readonly reportReviewService: {
    decideOneOfMany(
      acting: Acting,
      id: string,
      decision: { verdict: DisputeVerdict; comment?: string | undefined },
    ): Promise<void>;
  };
  readonly holdService: {
    decide(
      person: Person,
      id: string,
      decision: { readonly state: "approved" | "denied"; readonly reason: string | null },
    ): Promise<unknown>;
  };
  readonly tuningService: Record<
    "approve" | "deny",
    (
      who: Acting & { readonly kind: "person" },
      id: string,
      decision: { readonly comment: string | null; readonly content_hash: string | null },
    ) => Promise<unknown>
  >;
};

const PARAM = { param: "decision" };

/** Who reported it is right, or wrong: a dispute is a false positive then, a miss a true one. */
const verdictOf = ({ direction }: Pick<Report, "direction">, decision: Given["decision"]): DisputeVerdict => {
  if (decision === "inconclusive") return decision;
  return (decision === "approve") === (direction === "false_positive") ? "false_positive" : "true_positive";
};

/** Many decisions in one request: each is made, allowed and recorded as if it were the only one. */
export class BulkDecisions {
  private readonly decide: Readonly<Record<BulkKind, Decide>>;

  constructor(
    { reports, reportReviewService, holdService, tuningService }: DecidingServices,
    private readonly onUnexpected: (error: unknown) => void,
  ) {
    this.decide = {
      report: async (person, { id }, { decision, comment }) => {
        // Where it does not exist the service says so, whatever the verdict.
        const report = await reports.byId(id.toLowerCase());
        const verdict = verdictOf(report ?? { direction: "false_positive" }, decision);
        return reportReviewService.decideOneOfMany(actingAs(person), id, { verdict, comment });
      },
      held_call: (person, { id }, { decision, comment: reason = null }) => {
        // A user who lets it pass has read what the tool would be given.
        if (approving(decision)) throw new GuardError("invalid_value", "Held calls are approved one by one.", PARAM);
        return holdService.decide(person, id, { state: "denied", reason });
      },
      tuning: (person, { id, content_hash = null }, { decision, comment = null }) =>
        tuningService[approving(decision) ? "approve" : "deny"]({ kind: "person", ...actingAs(person) }, id, {
          comment,
          content_hash,
        }),
    };
  }

  /** One after the other, in the order they are given. */
  all(person: Person, { items, ...given }: InboxDecisions): Promise<InboxResults> {
    return resultsOf(items, this.onUnexpected, (item) => this.decide[item.kind](person, item, given));
  }
}

const actingAs = (person: Person): Acting => ({ user: person.user, by: personActor(person) });

/** Throws `invalid_value` for what only a report can be. */
const approving = (decision: Given["decision"]): boolean => {
  if (decision !== "inconclusive") return decision === "approve";
  throw new GuardError("invalid_value", "Only a report can be inconclusive.", PARAM);
};
