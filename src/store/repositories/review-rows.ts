import { Type } from "#core/schema";
import type { ReviewState } from "#model/agent";
import { Answers, DraftAnswers } from "#policy/review/questionnaire";
import { type Review, TIERS } from "#policy/review/review";
import { damaged, StoredShape, strings } from "#store/stored";

/* Reviews as rows, and back. */

const Risk = Type.Object({
  tier: Type.Union(TIERS.map((tier) => Type.Literal(tier))),
  points: Type.Number(),
  parts: Type.Array(Type.Object({ name: Type.String(), answer: Type.String(), points: Type.Number() })),
  raised: Type.Union([Type.String(), Type.Null()]),
});
const Changes = Type.Array(Type.Object({ pointer: Type.String(), material: Type.Boolean() }));

/** States in which people rely on the answers' being whole. */
const FROZEN: ReadonlySet<ReviewState> = new Set(["submitted", "in_review", "approved", "rejected"]);

type Json = "answers" | "risk" | "changes" | "eligible";
type Raw = Omit<Review, Json> & { readonly [K in Json]: unknown };

/** Checks what stands in the JSON columns of a review. */
export class ReviewReader {
  readonly #whole = new StoredShape(Answers);
  readonly #draft = new StoredShape(DraftAnswers);
  readonly #risk = new StoredShape(Risk);
  readonly #changes = new StoredShape(Changes);

  checked({ answers, risk, changes, eligible, ...row }: Raw): Review {
    if (!this.#areAnswers(answers, row.status)) throw damaged(`answers of review ${row.id}`);
    return {
      ...row,
      answers,
      risk: risk === null ? null : this.#risk.read(risk, `risk of review ${row.id}`),
      changes: this.#changes.read(changes, `changes of review ${row.id}`),
      eligible: strings(eligible, `eligible reviewers of review ${row.id}`),
    };
  }

  #areAnswers(value: unknown, status: ReviewState): value is Review["answers"] {
    return (FROZEN.has(status) ? this.#whole : this.#draft).fits(value);
  }
}
