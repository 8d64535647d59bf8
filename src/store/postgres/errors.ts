import { GuardError } from "#core/errors";

/** The database does not answer, or the connection to it broke: what was asked for may or may not have been done. */
export class DatabaseUnreachable extends GuardError {
  constructor(cause?: unknown) {
    const message =
      "The database of the hub does not answer. What is known is served; nothing can be changed. Retry later.";
    super("database_unavailable", message, { headers: { "retry-after": "2" }, cause });
  }
}

/** It is not one that a hub can use; `message` says why. */
export class UnfitDatabase extends Error {
  override readonly name = "UnfitDatabase";
}

/** PostgreSQL's own code of an error, such as 23505; null where the error is not the server's. */
export const stateOf = (error: unknown): string | null =>
  error instanceof Error && "errno" in error && typeof error.errno === "string" ? error.errno : null;

/** Whether the connection is what failed. Class 57P: the server ends, or has ended the session; 08: it says that it broke. */
export const isConnectionFault = (error: unknown): boolean => {
  if (error instanceof DatabaseUnreachable) return true;
  const state = stateOf(error);
  if (state !== null) return /^(?:57P|08)/.test(state);
  return (
    error instanceof Error &&
    "code" in error &&
    /^(?:ERR_POSTGRES_(?:CONNECTION|LIFETIME|IDLE)|ECONN|EPIPE)/.test(String(error.code))
  );
};

/** Transactions that stood in each other's way: one of them was ended, and can be tried again. */
export const isConflict = (error: unknown): boolean => ["40001", "40P01"].includes(stateOf(error) ?? "");

/** As callers may be told of it. An error of the driver may name the server's address. */
export const told = (error: unknown): unknown =>
  isConnectionFault(error) && !(error instanceof DatabaseUnreachable) ? new DatabaseUnreachable(error) : error;
