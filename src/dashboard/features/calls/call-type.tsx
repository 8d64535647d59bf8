import type { AnswerTo } from "#dashboard/api/client";

/** One call, with all that is known of it. */
export type Call = AnswerTo<"GET /api/calls/:id">;
