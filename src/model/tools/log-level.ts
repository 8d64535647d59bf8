/** Levels of log messages (RFC 5424), the least severe first. */
export const LOG_LEVELS = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Null for what is none. */
export const logLevelOf = (value: unknown): LogLevel | null => LOG_LEVELS.find((level) => level === value) ?? null;

/** Whether a message of this level is wanted by who wants the ones from `least` on. */
export const reaches = (level: LogLevel, least: LogLevel): boolean =>
  LOG_LEVELS.indexOf(level) >= LOG_LEVELS.indexOf(least);
