/** Servers of one caller, one of them slower than the others. Times in milliseconds. */
export const FAN = { servers: 20, tools: 5, othersMs: 5, slowestMs: 200 } as const;

/** Servers that are not ready refuse whatever they are asked. */
export type FanJob = { readonly isReady: boolean };

/** The servers' addresses, the slowest first. */
export type FanResult = { readonly urls: readonly string[] };
