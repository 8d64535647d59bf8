import { PolicyChange } from "#core/baseline/edits";
import { type Static, Type } from "#core/schema";

const closed = { additionalProperties: false } as const;
const Base = Type.Integer({ minimum: 0, description: "The revision that was looked at." });
const Reason = Type.String({ minLength: 1, maxLength: 2_000, pattern: "\\S", description: "Why, in some words." });
const Changes = Type.Array(PolicyChange, { minItems: 1, maxItems: 200, description: "At most 200." });

export const PolicyTrial = Type.Object({ changes: Changes }, { ...closed, $id: "PolicyTrial" });

export const PolicyUpdate = Type.Object(
  { base_revision: Base, changes: Changes, reason: Reason },
  { ...closed, $id: "PolicyUpdate" },
);

export const PolicyRestoration = Type.Object(
  { revision: Type.Integer({ minimum: 1 }), base_revision: Type.Optional(Base), reason: Reason },
  { ...closed, $id: "PolicyRestoration" },
);

export const PolicyDecision = Type.Object(
  { comment: Type.Optional(Type.String({ minLength: 1, maxLength: 2_000 })) },
  { ...closed, $id: "PolicyDecision" },
);
export type PolicyDecision = Static<typeof PolicyDecision>;
