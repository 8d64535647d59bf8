import { type Static, Type } from "#core/schema";
import { ORIGINS, type Origin } from "#scan/detector";
import { type PolicyRule, RULE_MODES } from "#scan/policy";

/* What people set by hand of the baseline: one rule for one flag type, at the origins it names. */

const closed = { additionalProperties: false } as const;
const score = Type.Optional(Type.Number({ minimum: 0, maximum: 1, description: "A score from 0 to 1." }));
const FlagType = Type.String({
  pattern: "^[a-z0-9_-]+(\\.[a-z0-9_-]+)*$",
  maxLength: 100,
  description: "A finding type, or a prefix for all types below it that have no rule of their own.",
  examples: ["pii.email"],
});
const Origins = Type.Array(
  Type.Union(
    ORIGINS.map((origin) => Type.Literal(origin)),
    { examples: ["user"] },
  ),
  { minItems: 1, maxItems: ORIGINS.length, uniqueItems: true, description: "Default: all." },
);
const mode = Type.Optional(
  Type.Union(
    RULE_MODES.map((one) => Type.Literal(one)),
    { description: "monitor: what would be redacted or blocked is only flagged." },
  ),
);
const thresholds = Type.Object(
  { flag: score, redact: score, block: score },
  { ...closed, description: "Lowest score of each action. Without any, findings are ignored." },
);

export const PolicyChange = Type.Union(
  [
    Type.Object({ type: FlagType, origins: Type.Optional(Origins), thresholds, mode }, closed),
    Type.Object(
      {
        type: FlagType,
        origins: Type.Optional(Origins),
        reset: Type.Literal(true, { description: "Remove the edit." }),
      },
      closed,
    ),
  ],
  { $id: "PolicyChange", description: "A rule for a finding type, or reset." },
);
export type PolicyChange = Static<typeof PolicyChange>;

/** As they are stored. */
export const StoredEdits = Type.Array(Type.Object({ type: FlagType, origins: Origins, thresholds, mode }, closed));
export type PolicyEdits = Static<typeof StoredEdits>;
type Edit = PolicyEdits[number];

/** A flag type at one origin. */
export type BaselineCell = { readonly type: string; readonly origin: Origin };

export const cellsOf = ({
  type,
  origins = [...ORIGINS],
}: {
  type: string;
  origins?: readonly Origin[];
}): BaselineCell[] => origins.map((origin) => ({ type, origin }));

/** Edits with changes made to them, always in the same order, so that equal ones are equal as text. */
export const editedBy = (edits: PolicyEdits, changes: readonly PolicyChange[]): PolicyEdits => {
  const cells = new Map<string, Edit>();
  const put = (rule: PolicyChange | Edit): void => {
    for (const { type, origin } of cellsOf(rule)) {
      const key = `${type} ${ORIGINS.indexOf(origin)}`;
      if ("reset" in rule) cells.delete(key);
      else cells.set(key, { type, origins: [origin], ...saidBy(rule) });
    }
  };
  for (const rule of [...edits, ...changes]) put(rule);
  const merged = new Map<string, Edit>();
  for (const [, edit] of [...cells].sort(([one], [other]) => (one < other ? -1 : 1))) {
    const { origins, ...same } = edit;
    const key = JSON.stringify(same);
    merged.set(key, { ...edit, origins: [...(merged.get(key)?.origins ?? []), ...origins] });
  }
  return [...merged.values()];
};

/** Thresholds in one order, and a mode only where it says something. */
const saidBy = ({ thresholds: { flag, redact, block }, mode: own }: Pick<Edit, "thresholds" | "mode">) => ({
  thresholds: {
    ...(flag !== undefined && { flag }),
    ...(redact !== undefined && { redact }),
    ...(block !== undefined && { block }),
  },
  ...(own === "monitor" && { mode: own }),
});

/** As the scanner takes them. */
export const rulesOf = (edits: PolicyEdits): readonly PolicyRule[] =>
  edits.map(({ type, origins, ...said }) => ({
    type,
    origins,
    ...saidBy(said),
    ...(said.mode && { mode: said.mode }),
  }));
