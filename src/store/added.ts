/**
 * What became of something that was to be added. Limits are counted in the step that adds: they hold however many come
 * at once, in however many processes.
 */
export type Added = "done" | "taken" | "full";
