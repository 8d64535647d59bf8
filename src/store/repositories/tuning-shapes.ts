import { Type } from "#core/schema";
import { ACTIONS, ORIGINS } from "#scan/detector";

/* What rules and suggestions keep in JSON columns. A field too many is damage: a rule would mean less than it says. */

const CLOSED = { additionalProperties: false } as const;
const STRICTER = ["flag", "redact", "block"] as const;

const AnyAction = Type.Union(ACTIONS.map((action) => Type.Literal(action)));
const Stricter = Type.Union(STRICTER.map((action) => Type.Literal(action)));
const Score = Type.Number({ minimum: 0, maximum: 1 });
const nullable = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) => Type.Union([schema, Type.Null()]);

export const Match = Type.Object(
  {
    types: Type.Array(Type.String()),
    origins: Type.Optional(Type.Array(Type.Union(ORIGINS.map((origin) => Type.Literal(origin))))),
    context: Type.Optional(Type.String()),
    value: Type.Optional(
      Type.Object({ hash: Type.String(), of: Type.Union([Type.Literal("match"), Type.Literal("text")]) }, CLOSED),
    ),
    pattern: Type.Optional(Type.String()),
    keywords: Type.Optional(Type.Array(Type.String())),
  },
  CLOSED,
);

const CHANGES = [
  Type.Object({ op: Type.Literal("allow") }, CLOSED),
  Type.Object({ op: Type.Literal("threshold"), action: Stricter, from: nullable(Score), to: Score }, CLOSED),
  Type.Object({ op: Type.Literal("action"), from: AnyAction, to: AnyAction }, CLOSED),
  Type.Object({ op: Type.Literal("detect"), action: Stricter }, CLOSED),
] as const;
export const Change = Type.Union([...CHANGES]);

const RuleMode = Type.Union([Type.Literal("off"), Type.Literal("monitor"), Type.Literal("enforce")]);
/** Of a suggestion: also what it would make of a rule that is there. */
export const SuggestedChange = Type.Union([
  ...CHANGES,
  Type.Object({ op: Type.Literal("amend"), mode: RuleMode }, CLOSED),
]);

export const ImpactShape = Type.Object({
  window_days: Type.Number(),
  decisions: Type.Integer(),
  would_change: Type.Integer(),
  would_release_confirmed: Type.Integer(),
  coverage: Type.Number(),
});

export const Approvals = Type.Array(
  Type.Object({
    by: Type.String(),
    decision: Type.Union([Type.Literal("approve"), Type.Literal("deny")]),
    comment: nullable(Type.String()),
    content_hash: Type.String(),
    alone: Type.Boolean(),
    at: Type.Integer(),
  }),
);

export const Rejected = nullable(
  Type.Object({ by: Type.String(), reason: Type.String(), comment: nullable(Type.String()) }),
);
