/** Units of one encoded token of an answer; what is longer is judged in parts of that. A multiple of four. */
export const LONGEST = 4_096;

/** Units of an answer that are looked at together once undone, but for what stands about them: no value is longer. */
export const MAX_WINDOW = 2 * LONGEST;

/** The most units of an answer that may wait for what is encoded to end and be decided. */
export const MOST_HELD = MAX_WINDOW + 2 * LONGEST;
