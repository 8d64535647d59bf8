/** Unix milliseconds. Injected, so that tests can stop it. */
export type Clock = () => number;

export const systemClock: Clock = () => Date.now();

/** Whether that time has passed since a moment. A clock that was set back since has passed it, or it would wait for days. */
export const hasPassed = (ms: number, since: number, now: number): boolean => now - since >= ms || now < since;

/** RFC 3339, UTC, milliseconds. */
export const timestamp = (ms: number): string => new Date(ms).toISOString();
