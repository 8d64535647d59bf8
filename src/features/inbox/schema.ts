import { type Static, Type } from "#core/schema";
import { listOf, Moment, oneOf, orNull } from "#http/openapi/schemas";

/* What `/api/inbox` answers. */

export const InboxKind = oneOf(["review", "tuning", "policy", "held_call", "rebaseline", "tool_definition", "report"]);
export type InboxKind = Static<typeof InboxKind>;

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
  },
  { $id: "Inbox" },
);
export type Inbox = Static<typeof Inbox>;
