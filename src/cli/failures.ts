import { GuardError } from "#core/errors";
import { CliExit, EXIT } from "./exit";

/**
 * Errors of other modules by class name, not by class: those modules load the database, and a
 * command that fails early should not have to.
 */
const CODES_BY_NAME: Readonly<Record<string, number>> = {
  NewerDatabase: EXIT.newerData,
  DataDirectoryLocked: EXIT.locked,
  UnsealFailed: EXIT.integrity,
  DamagedBackup: EXIT.integrity,
  OlderAuditLog: EXIT.integrity,
};

const systemCode = (error: unknown): string | null =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : null;

const CODES_BY_SYSTEM: Readonly<Record<string, number>> = {
  EADDRINUSE: EXIT.addressInUse,
  SQLITE_CORRUPT: EXIT.integrity,
  SQLITE_NOTADB: EXIT.integrity,
};

const codeOfGuardError = (error: GuardError): number => {
  if (error.code === "not_found") return EXIT.notFound;
  return error.code === "invalid_value" ? EXIT.usage : EXIT.failure;
};

/** The exit code that says what went wrong. */
export const codeOf = (error: unknown): number => {
  if (error instanceof CliExit) return error.code;
  if (error instanceof GuardError) return codeOfGuardError(error);
  const byName = error instanceof Error ? CODES_BY_NAME[error.name] : undefined;
  return byName ?? CODES_BY_SYSTEM[systemCode(error) ?? ""] ?? EXIT.failure;
};

const ADVICE: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  EADDRINUSE: "the address is in use; choose another with --listen HOST:PORT",
  ENOSPC: "no space left on the disk",
  SQLITE_FULL: "no space left on the disk",
  SQLITE_CORRUPT: "the database is damaged; restore a backup",
  SQLITE_NOTADB: "the file is not a database; restore a backup",
};

/** One line for the person at the terminal. */
export const messageOf = (error: unknown): string => {
  if (error instanceof CliExit || error instanceof GuardError) return error.message;
  if (!(error instanceof Error)) return "unexpected failure; --debug shows more";
  const [line = error.name] = error.message.split("\n");
  const advice = ADVICE[systemCode(error) ?? ""];
  return advice ? `${advice} (${line})` : line;
};
