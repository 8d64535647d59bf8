import { KeptText } from "#core/kept-content";
import { type Static, Type } from "#core/schema";
import { orNull } from "#http/openapi/shapes";

/** What is kept of a call for one purpose. */
export const ShownContent = Type.Object({
  id: Type.String(),
  event_id: orNull(Type.String()),
  purpose: Type.Union([Type.Literal("blocked"), Type.Literal("retained")]),
  created_at: Type.String(),
  expires_at: Type.String(),
  texts: orNull(Type.Array(KeptText, { description: "Null when the key it was sealed with is gone." })),
  cut: Type.Boolean({ description: "There was more than is kept." }),
});
export type ShownContent = Static<typeof ShownContent>;

export const CallContents = Type.Object(
  {
    object: Type.Literal("call.content"),
    call_id: Type.String(),
    user_id: Type.String(),
    agent_id: orNull(Type.String()),
    data: Type.Array(ShownContent),
  },
  { $id: "CallContents" },
);
export type CallContents = Static<typeof CallContents>;

export const RemovedContents = Type.Object(
  {
    object: Type.Literal("call.content.removed"),
    call_id: Type.String(),
    removed: Type.Integer({ description: "How many of the call's contents were deleted." }),
  },
  { $id: "RemovedContents" },
);
export type RemovedContents = Static<typeof RemovedContents>;
