/** Unix milliseconds. Injected, so that tests can stop it. */
export type Clock = () => number;

export const systemClock: Clock = () => Date.now();

/** RFC 3339, UTC, milliseconds. */
export const timestamp = (ms: number): string => new Date(ms).toISOString();
