import type { Environment } from "#config/environment";

/** Read by the runtime before any code runs, so setting it from inside is too late. */
const VARIABLE = "BUN_CONFIG_MAX_HTTP_REQUESTS";
/** The runtime's own limit is 256 for all providers together: a few hanging streams would stop every call. */
const CONNECTIONS = "16384";
/** What runs a hub in its own process. */
const SERVING = ["serve", "demo"];

/**
 * Replaces a process that is to serve by one that allows many connections to providers: same pid, same arguments. Does
 * nothing when the variable is set, as it is after the replacement, or where the system has no execve. Flags may stand
 * before the verb, so one word anywhere is enough: another command that has it runs as it would have.
 */
export const makeRoomForConnections = (args: readonly string[], environment: Environment): void => {
  if (environment[VARIABLE] !== undefined || process.execve === undefined) return;
  if (!SERVING.some((verb) => args.includes(verb))) return;
  const program = Bun.isStandaloneExecutable ? [process.execPath] : [process.execPath, Bun.main];
  process.execve(process.execPath, [...program, ...args], { ...environment, [VARIABLE]: CONNECTIONS });
};
