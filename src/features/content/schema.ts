import { type Static, Type } from "#core/schema";
import { orNull } from "#http/openapi/schemas";
import { KeptText } from "#model/kept-content";

/** What is kept of a call for one purpose. */
export const ContentResponse = Type.Object({
  id: Type.String(),
  event_id: orNull(Type.String()),
  purpose: Type.Union([Type.Literal("blocked"), Type.Literal("retained")]),
  created_at: Type.String(),
  expires_at: Type.String(),
  texts: orNull(Type.Array(KeptText, { description: "Null when the encryption key was deleted." })),
  cut: Type.Boolean({ description: "The content was longer than what is stored." }),
});
export type ContentResponse = Static<typeof ContentResponse>;

export const CallContents = Type.Object(
  {
    object: Type.Literal("call.content"),
    call_id: Type.String(),
    user_id: Type.String(),
    agent_id: orNull(Type.String()),
    data: Type.Array(ContentResponse),
  },
  { $id: "CallContents" },
);
export type CallContents = Static<typeof CallContents>;

export const RemovedContents = Type.Object(
  {
    object: Type.Literal("call.content.removed"),
    call_id: Type.String(),
    removed: Type.Integer({ description: "Number of deleted contents." }),
  },
  { $id: "RemovedContents" },
);
export type RemovedContents = Static<typeof RemovedContents>;
