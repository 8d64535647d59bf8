import { type Static, Type } from "#core/schema";
import { listOf, Moment, oneOf, orNull } from "#http/openapi/schemas";
import { WAITING_KINDS, type WaitingKind } from "#model/triage";

/* What `/api/inbox` takes and answers. */

export const InboxKind = oneOf(WAITING_KINDS);
export type InboxKind = WaitingKind;

/** Items of one request. */
export const MAX_ITEMS = 100;

/** Something that waits for the person who asks, and that they may decide on. */
export const InboxItem = Type.Object(
  {
    id: Type.String({
      description:
        "Of what waits: a review, a suggestion, a proposal of the baseline policy, a held call, an agent (rebaseline), a tool server, a report.",
    }),
    kind: InboxKind,
    title: Type.String({ description: "One line, without content." }),
    subject: Type.String(),
    direction: orNull(
      oneOf(
        ["false_positive", "false_negative"],
        "Of a report: a dispute (false_positive) or a miss (false_negative).",
      ),
    ),
    flag_types: listOf(Type.String({ description: "Finding types of a report." })),
    content_hash: orNull(
      Type.String({ description: "Of a suggestion, as it is now: sent with an approval, it ties it to this version." }),
    ),
    agent: orNull(
      Type.Object({
        id: Type.String(),
        name: Type.String(),
      }),
    ),
    requested_by: orNull(Type.String({ description: "E-mail address; null for the hub." })),
    since: Moment,
    expires_at: orNull(Type.String({ format: "date-time", description: "Null without expiry." })),
    url: Type.String({ description: "Path of the dashboard page." }),
    alone: Type.Boolean({ description: "The current user decides alone; requires a reason." }),
    assignee: orNull(Type.String({ description: "E-mail address of the user it is assigned to." })),
    like: listOf(
      Type.String({ description: `Ids of like reports that wait too, oldest first, at most ${MAX_ITEMS - 1}.` }),
    ),
    like_count: Type.Integer({ description: "How many like reports there are beside this one." }),
    requesters: Type.Integer({ description: "How many users it and the like reports come from; 0 for the hub." }),
  },
  { $id: "InboxItem" },
);
export type InboxItem = Static<typeof InboxItem>;

export const Inbox = Type.Object(
  {
    object: Type.Literal("list"),
    /** Oldest first. */
    data: listOf(InboxItem),
    has_more: Type.Boolean(),
    next_cursor: orNull(Type.String()),
    counts: Type.Object({
      total: Type.Number(),
      review: Type.Number(),
      tuning: Type.Number(),
      policy: Type.Number(),
      held_call: Type.Number(),
      rebaseline: Type.Number(),
      tool_definition: Type.Number(),
      report: Type.Number(),
    }),
    more_reports: Type.Integer({
      description: "Waiting reports beyond the oldest 2,000: they are listed as those are decided.",
    }),
    assigned: Type.Object(
      { mine: Type.Integer(), unassigned: Type.Integer() },
      { description: "How many of them are assigned to the current user, and to nobody." },
    ),
  },
  { $id: "Inbox" },
);
export type Inbox = Static<typeof Inbox>;

export const InboxPlace = Type.Object(
  {
    object: Type.Literal("inbox.place"),
    item: orNull(InboxItem),
    previous: orNull(InboxItem),
    next: orNull(InboxItem),
    position: orNull(Type.Integer({ minimum: 1, description: "Of the item; null when it does not wait any more." })),
    waiting: Type.Integer({ description: "How many of its kind wait." }),
  },
  { $id: "InboxPlace" },
);
export type InboxPlace = Static<typeof InboxPlace>;

const closed = { additionalProperties: false } as const;
const ItemId = Type.String({ minLength: 1, maxLength: 100, examples: ["01a1ffd1-0000-7000-8000-000000000000"] });

/** What is decided one by one, since it has to be read: a review, the baseline policy, drift, definitions of tools. */
export const BULK_KINDS = ["report", "held_call", "tuning"] as const;
export type BulkKind = (typeof BULK_KINDS)[number];
export const BULK_DECISIONS = ["approve", "deny", "inconclusive"] as const;

export const InboxDecisions = Type.Object(
  {
    items: Type.Array(
      Type.Object(
        {
          kind: oneOf(BULK_KINDS),
          id: ItemId,
          content_hash: Type.Optional(
            Type.String({ maxLength: 64, description: "Of a suggestion: fails if it has changed since." }),
          ),
        },
        closed,
      ),
      { minItems: 1, maxItems: MAX_ITEMS },
    ),
    decision: oneOf(
      BULK_DECISIONS,
      "Of a report, approve says that its reporter is right and deny that they are wrong; inconclusive is for reports only. Held calls are only denied here: their arguments have to be read.",
    ),
    comment: Type.Optional(
      Type.String({ minLength: 1, maxLength: 2_000, description: "Reason, recorded with each decision." }),
    ),
  },
  { ...closed, $id: "InboxDecisions" },
);
export type InboxDecisions = Static<typeof InboxDecisions>;

export const InboxAssign = Type.Object(
  {
    items: Type.Array(Type.Object({ kind: InboxKind, id: ItemId }, closed), { minItems: 1, maxItems: MAX_ITEMS }),
    assignee: orNull(
      Type.String({
        minLength: 1,
        maxLength: 320,
        description: "`me`, or the e-mail address of a user who may decide on the items; null for nobody.",
        examples: ["me"],
      }),
    ),
  },
  { ...closed, $id: "InboxAssign" },
);
export type InboxAssign = Static<typeof InboxAssign>;

export const InboxResults = Type.Object(
  {
    object: Type.Literal("list"),
    data: listOf(
      Type.Object({
        kind: InboxKind,
        id: Type.String(),
        error: orNull(
          Type.Object(
            { code: Type.String(), message: Type.String() },
            { description: "Why it was not done; null if it was." },
          ),
        ),
      }),
    ),
    done: Type.Integer(),
    failed: Type.Integer(),
  },
  { $id: "InboxResults", description: "What became of each item, in the order they were sent." },
);
export type InboxResults = Static<typeof InboxResults>;
