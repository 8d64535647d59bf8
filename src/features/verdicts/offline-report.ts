import { type Static, Type } from "#core/schema";
import { HARNESS_NAMES } from "#model/verdict";
import { PERMISSIONS } from "#policy/commands/permission";
import { ACT_KINDS } from "#policy/profile/local-acts";

const oneOf = <const T extends readonly string[]>(values: T) =>
  Type.Union(values.map((value) => Type.Literal<T[number]>(value)));

/** One report; hooks send what they have in several. */
export const MAX_DECISIONS = 100;
/** What a hook decided by itself. Nothing of what it was about. */
export const OfflineDecision = Type.Object(
  {
    at: Type.String({
      pattern: "^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d{1,9})?Z$",
      maxLength: 40,
      description: "When it was decided: RFC 3339, UTC.",
      examples: ["2026-01-01T00:00:00Z"],
    }),
    harness: oneOf(HARNESS_NAMES),
    conversation: Type.Union([Type.String({ maxLength: 200 }), Type.Null()]),
    permission: oneOf(PERMISSIONS),
    kind: oneOf(ACT_KINDS),
    layer: Type.String({
      maxLength: 60,
      pattern: "^[a-z]+ [A-Za-z0-9-]+$|^$",
      description: "Empty for what was allowed.",
      examples: ["profile v3"],
    }),
    rule: Type.String({ maxLength: 60, pattern: "^[a-z_]+(\\.[a-z_]+)*$|^$", examples: ["commands.deny"] }),
  },
  { additionalProperties: false },
);
export type OfflineDecision = Static<typeof OfflineDecision>;

export const OfflineReport = Type.Object(
  { decisions: Type.Array(OfflineDecision, { minItems: 1, maxItems: MAX_DECISIONS }) },
  { additionalProperties: false, $id: "OfflineReport" },
);
export type OfflineReport = Static<typeof OfflineReport>;

export const OfflineRecorded = Type.Object({ recorded: Type.Integer() }, { $id: "OfflineRecorded" });
