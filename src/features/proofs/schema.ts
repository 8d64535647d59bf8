import { COMMANDS, commandLine } from "#core/command-line";
import { type Static, Type } from "#core/schema";
import { listOf, Moment, oneOf, orNull } from "#http/openapi/schemas";
import { WORST_FIRST } from "./witnessing";

/* What `/api/audit/trees` answers. */

export const Witnessed = Type.Object(
  {
    size: Type.Number({ description: "Records that are covered." }),
    at: Moment,
    by: listOf(Type.String({ description: "Name of a witness." })),
  },
  { $id: "Witnessed" },
);

/** A log's tree. */
export const AuditTree = Type.Object(
  {
    node: orNull(Type.String({ description: "Whose log it is; null for the main log." })),
    origin: Type.String({ description: "Name of the log in its checkpoints." }),
    key: Type.String({ description: `Public key, as \`${commandLine(COMMANDS.checkProof())}\` takes it.` }),
    signed: orNull(Type.Object({ size: Type.Number({ description: "Records that are covered." }), at: Moment })),
    witnessed: orNull(Witnessed),
  },
  { $id: "AuditTree" },
);
export type AuditTree = Static<typeof AuditTree>;

export const WitnessState = Type.Object(
  {
    name: Type.String(),
    url: Type.String(),
    state: orNull(
      oneOf(
        WORST_FIRST,
        "`conflict`: it has seen a log of this name that does not go on as this one does. Null until asked.",
      ),
    ),
  },
  { $id: "WitnessState" },
);

export const AuditTrees = Type.Object(
  {
    object: Type.Literal("audit.trees"),
    trees: listOf(AuditTree),
    witnesses: listOf(WitnessState),
  },
  { $id: "AuditTrees" },
);
export type AuditTrees = Static<typeof AuditTrees>;
