import { COMMANDS, commandLine } from "#core/command-line";
import { type Static, Type } from "#core/schema";
import { listOf, Moment, oneOf, orNull } from "#http/openapi/schemas";

/* What an evidence report says, as JSON. Whole counts, ids and names; no content of calls. */

const Counts = Type.Record(Type.String(), Type.Number());

const Person = orNull(
  Type.String({ description: "E-mail address; null for the hub itself, the command line, or no longer known." }),
);

const EvidenceReceipt = Type.Object({ point: Type.String(), confirmed_at: Moment });

export const Evidence = Type.Object(
  {
    object: Type.Literal("evidence"),
    version: Type.Literal(1),
    made_at: Moment,
    from: Type.String({ format: "date-time", description: "Start, inclusive." }),
    to: Type.String({ format: "date-time", description: "End, exclusive." }),
    hub: Type.Object({
      version: Type.String(),
      key: orNull(Type.String({ description: "What signs reports and checkpoints." })),
    }),
    agent: Type.Object({
      id: Type.String(),
      name: Type.String(),
      description: orNull(Type.String()),
      environment: orNull(Type.String()),
      owner: Person,
      sponsor: Person,
      lifecycle: Type.String(),
      review_status: Type.String(),
      review_due_at: orNull(Moment),
      profile_version: orNull(Type.Number()),
    }),
    reviews: listOf(
      Type.Object({
        id: Type.String(),
        number: Type.Number(),
        status: Type.String(),
        submitted_at: orNull(Moment),
        submitted_by: Person,
        decisions: listOf(Type.Object({ decision: Type.String(), by: Person, at: Moment })),
      }),
    ),
    profiles: listOf(
      Type.Object({
        version: Type.Number(),
        in_force_from: Moment,
        approved_by: listOf(Person),
        content_hash: Type.String(),
        changed: listOf(Type.String({ description: "JSON pointer into the profile, against the version before." })),
      }),
    ),
    calls: Type.Object({
      total: Type.Number(),
      by_kind: Counts,
      by_decision: Counts,
      by_outcome: Counts,
      by_model: Counts,
      by_tool: Counts,
      refused_by: Counts,
      tokens: Type.Number(),
      cost_usd: Type.Number(),
      unpriced: Type.Number({ description: "Calls whose model has no price." }),
    }),
    findings: listOf(
      Type.Object({
        type: Type.String(),
        count: Type.Number(),
        by_action: Counts,
        taxonomy: listOf(Type.Object({ id: Type.String(), name: Type.String() })),
      }),
    ),
    coverage: Type.Object({
      texts: Type.Number(),
      chars: Type.Number(),
      unscanned: Type.Record(Type.String(), Type.Number(), { description: "Parts that were not scanned, by reason." }),
    }),
    disputes: Type.Object({
      made: Type.Number(),
      upheld: Type.Number(),
      rejected: Type.Number(),
      inconclusive: Type.Number(),
      open: Type.Number(),
    }),
    restrictions: listOf(
      Type.Object({
        id: Type.String(),
        kind: Type.String(),
        source: oneOf(["manual", "automatic"]),
        set_by: Person,
        reason: Type.String(),
        starts_at: Moment,
        ended_at: orNull(Moment),
        receipts: listOf(EvidenceReceipt),
      }),
    ),
    kill_switches: listOf(
      Type.Object({
        id: Type.String(),
        level: Type.String(),
        set_by: Person,
        reason: Type.String(),
        set_at: Moment,
        lifted_at: orNull(Moment),
        receipts: listOf(EvidenceReceipt),
      }),
    ),
    changes: Type.Object({
      total: Type.Number(),
      shown: listOf(
        Type.Object({
          at: Moment,
          kind: Type.String(),
          by: Person,
          record: Type.String({ description: "Id of the audit record." }),
        }),
      ),
    }),
    log: Type.Object({
      verified: Type.Object({ ok: Type.Boolean(), records: Type.Number(), faults: listOf(Type.String()) }),
      trees: listOf(
        Type.Object({
          node: orNull(Type.String()),
          origin: Type.String(),
          key: Type.String(),
          size: Type.Number(),
          checkpoint: Type.String({ description: "Signed note, with the signatures of witnesses." }),
        }),
      ),
    }),
    cited: Type.Object({
      total: Type.Number({ description: "Calls with something blocked, redacted or refused." }),
      shown: listOf(
        Type.Object({
          call_id: Type.String(),
          event_id: orNull(Type.String()),
          at: Moment,
          kind: Type.String(),
          decision: Type.String(),
          types: listOf(Type.String()),
          proof: orNull(Type.String({ description: "C2SP tlog-proof; null where there is none." })),
          no_proof: orNull(Type.String({ description: "Why there is none." })),
        }),
      ),
    }),
    duties: listOf(Type.Object({ duty: Type.String(), asks: Type.String(), evidence_in: Type.String() })),
  },
  { $id: "Evidence", description: "Evidence of what governed an agent, and of what it did." },
);
export type Evidence = Static<typeof Evidence>;

/** A report as it is handed out. */
export const EvidenceFiles = Type.Object(
  {
    json: Type.String({ description: "An `Evidence` document: the content of a file." }),
    html: Type.String({ description: "The same as a page that loads nothing and prints well." }),
    note: Type.String({
      description: `Signed note with the SHA-256 of both. \`${commandLine(COMMANDS.checkProof())}\` takes it.`,
    }),
  },
  { $id: "EvidenceFiles" },
);
export type EvidenceFiles = Static<typeof EvidenceFiles>;
