import { timestamp } from "#platform/clock";

export const LOG_LEVELS = ["debug", "info", "warn", "error"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

type Fields = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** JSON lines for operators: event names, ids, milliseconds, causes. Never request content, never secrets. */
export type Log = {
  debug(event: string, fields?: Fields): void;
  info(event: string, fields?: Fields): void;
  warn(event: string, fields?: Fields): void;
  error(event: string, fields?: Fields): void;
};

export const jsonLog = (level: LogLevel, write: (line: string) => void, now: () => number): Log => {
  const lowest = LOG_LEVELS.indexOf(level);
  const at = (which: LogLevel) => {
    if (LOG_LEVELS.indexOf(which) < lowest) return () => {};
    return (event: string, fields: Fields = {}) =>
      write(`${JSON.stringify({ at: timestamp(now()), level: which, event, ...fields })}\n`);
  };
  return { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
};

/** The same log with these fields on every line. */
export const logWith = (log: Log, always: Fields): Log => ({
  debug: (event, fields) => log.debug(event, { ...always, ...fields }),
  info: (event, fields) => log.info(event, { ...always, ...fields }),
  warn: (event, fields) => log.warn(event, { ...always, ...fields }),
  error: (event, fields) => log.error(event, { ...always, ...fields }),
});

/**
 * What may be logged of a thrown value: its class, code and, for system errors, nothing of its message,
 * because messages of parsers and clients quote what they were given.
 */
export const causeOf = (error: unknown): { cause: string; code?: string } => {
  if (!(error instanceof Error)) return { cause: typeof error };
  const code = "code" in error && typeof error.code === "string" ? { code: error.code } : {};
  return { cause: error.name, ...code };
};
