/** A serving process without a heartbeat for this long is dead: not waited for, and not believed. */
export const PROCESS_SILENCE_MS = 30_000;
