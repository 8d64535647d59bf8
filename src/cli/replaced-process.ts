import type { Environment } from "#config/environment";

/**
 * The runtime's settings for a hub; it reads them before any code runs, so setting them from inside is too late.
 * A value that is set already stays.
 */
const SETTINGS = {
  /** The runtime's own limit is 256 for all providers together: a few hanging streams would stop every call. */
  BUN_CONFIG_MAX_HTTP_REQUESTS: "16384",
  /**
   * How far the heap grows beyond what is in use before garbage is collected: to twice it. The engine's own is three
   * times where there is much memory: with 64 callers 250 MB instead of 204 at most, for 3 % less CPU.
   */
  BUN_JSC_heapGrowthMaxIncrease: "1",
  /**
   * How often the allocator gives the free parts of memory that is in use back to the system, in milliseconds. By itself
   * it does so ten times a second: then every page of what each garbage collection frees is given back, and comes anew
   * when it is written, five faults and a walk through all memory a call. An idle hub still has given it back after this time.
   */
  MIMALLOC_PURGE_HOLES_MIN_INTERVAL: "2000",
};
/** Which of them tells a process that was replaced. */
const REPLACED = "BUN_CONFIG_MAX_HTTP_REQUESTS";
/** What runs a hub in its own process. */
const SERVING = ["serve", "demo"];

/**
 * Replaces a process that is to serve by one with these settings: same pid, same arguments. Does nothing when the number
 * of connections is set, as it is after the replacement, or where the system has no execve. Flags may stand before the
 * verb, so one word anywhere is enough: another command that has it runs as it would have.
 */
export const replaceToServe = (args: readonly string[], environment: Environment): void => {
  if (environment[REPLACED] !== undefined || process.execve === undefined) return;
  if (!SERVING.some((verb) => args.includes(verb))) return;
  process.execve(process.execPath, [...ownProgram(), ...args], { ...SETTINGS, ...environment });
};

/** How this program is started, before its arguments. */
export const ownProgram = (): string[] =>
  Bun.isStandaloneExecutable ? [process.execPath] : [process.execPath, Bun.main];
