import { type Static, Type } from "#core/schema";
import { Id, listOf, Moment, oneOf, orNull, pageSchema } from "#http/openapi/schemas";
import {
  APPLICATION_NAME,
  MAX_APPLICATIONS,
  MAX_BUDGET_MS,
  MIN_BUDGET_MS,
  REDACT_BECOMES,
  SOURCE_NAME,
} from "#model/hook-source";
import { SOURCE_KINDS } from "#model/verdict";

const closed = { additionalProperties: false } as const;

const Secret = Type.String({
  minLength: 16,
  maxLength: 256,
  description: "What the system signs with or sends. Made by the hub if left out.",
});
const Redact = oneOf(REDACT_BECOMES, "What becomes of a text that would be redacted: nothing can be put in its place.");
const Budget = Type.Integer({
  minimum: MIN_BUDGET_MS,
  maximum: MAX_BUDGET_MS,
  description: "Milliseconds in which the system wants its answer.",
});

export const NewHookSource = Type.Object(
  {
    name: Type.String({ pattern: SOURCE_NAME }),
    kind: oneOf(SOURCE_KINDS),
    user_id: Type.Optional(
      orNull(Type.String({ description: "Whose the calls of unknown people are; the agent's owner, else you." })),
    ),
    agent_id: Type.Optional(orNull(Type.String({ description: "The agent whose calls they are." }))),
    applications: Type.Optional(
      Type.Record(Type.String({ pattern: APPLICATION_NAME }), Type.String({ description: "Id of an agent." }), {
        maxProperties: MAX_APPLICATIONS,
        description: "Other agents by the application that a frame names.",
      }),
    ),
    redact: Type.Optional(Redact),
    budget_ms: Type.Optional(Budget),
    secret: Type.Optional(Secret),
  },
  { ...closed, $id: "NewHookSource" },
);
export type NewHookSource = Static<typeof NewHookSource>;

export const HookSourceRotation = Type.Object(
  {
    grace: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 604_800,
        description: "Seconds the old secret is still accepted; default one hour.",
      }),
    ),
    secret: Type.Optional(Secret),
  },
  { ...closed, $id: "HookSourceRotation" },
);
export type HookSourceRotation = Static<typeof HookSourceRotation>;

const Name = Type.Object({ id: Id, name: Type.String() });

export const HookSourceView = Type.Object(
  {
    object: Type.Literal("hook_source"),
    id: Id,
    name: Type.String(),
    kind: oneOf(SOURCE_KINDS),
    user: orNull(Type.String({ description: "E-mail address." })),
    agent: orNull(Type.String({ description: "Name of the agent." })),
    agent_id: orNull(Id),
    applications: Type.Record(Type.String(), Name),
    redact: Redact,
    budget_ms: Budget,
    url: Type.String({ description: "Where the system asks." }),
    given_by: oneOf(["configuration", "set"], "`configuration`: `[[hooks.source]]` of the configuration file."),
    secrets: Type.Integer({ description: "Secrets that are accepted now: two while one is replaced." }),
    problem: orNull(Type.String({ description: "Why it is not let in, or only denied." })),
    created_at: orNull(Moment),
  },
  { $id: "HookSource" },
);
export type HookSourceView = Static<typeof HookSourceView>;

/** What came from it, as the audit log has it. */
export const HookSourceActivity = Type.Object(
  {
    last: orNull(
      Type.Object({
        at: Moment,
        call_id: Id,
        decision: Type.String(),
        ms: Type.Number({ description: "How long the verdict took." }),
      }),
    ),
    decisions: listOf(Type.Object({ decision: Type.String(), calls: Type.Integer() })),
  },
  { description: "Decisions are those of the last 24 hours." },
);
export type HookSourceActivity = Static<typeof HookSourceActivity>;

export const SeenHookSource = Type.Object(
  { ...HookSourceView.properties, activity: HookSourceActivity },
  { $id: "SeenHookSource" },
);
export type SeenHookSource = Static<typeof SeenHookSource>;
export const HookSourcePage = pageSchema(SeenHookSource);

/** With its secret, which is shown this once; null where it was given. */
export const IssuedHookSource = Type.Object(
  { ...HookSourceView.properties, secret: orNull(Type.String()) },
  { $id: "IssuedHookSource" },
);
export type IssuedHookSource = Static<typeof IssuedHookSource>;

export const RemovedHookSource = Type.Object({ id: Id, deleted: Type.Literal(true) }, { $id: "RemovedHookSource" });

export const HookSourceTest = Type.Object(
  {
    object: Type.Literal("hook_source_test"),
    ok: Type.Boolean({ description: "The hub answered with a verdict." }),
    url: Type.String(),
    status: orNull(Type.Integer()),
    answer: orNull(oneOf(["allow", "deny"])),
    problem: orNull(Type.String()),
    ms: Type.Number(),
    call_id: orNull(Type.String()),
  },
  { $id: "HookSourceTest" },
);
export type HookSourceTest = Static<typeof HookSourceTest>;
