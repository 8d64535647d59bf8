import type { Answer } from "#dashboard/api/client";

/** One call, with all that is known of it. */
export type Call = Answer<"GET /api/calls/:id">;
