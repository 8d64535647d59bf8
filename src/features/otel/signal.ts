export const SIGNALS = ["traces", "logs"] as const;
export type Signal = (typeof SIGNALS)[number];

/** Calls of one request: when so many wait, they are sent at once. */
export const BATCH_CALLS = 512;
