import type { Answer } from "#dashboard/api/client";

export type Review = Answer<"GET /api/reviews/:id">;
