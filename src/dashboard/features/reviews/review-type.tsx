import type { AnswerTo } from "#dashboard/api/client";

export type ReviewData = AnswerTo<"GET /api/reviews/:id">;
