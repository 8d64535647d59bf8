import { LOG_LEVELS, type LogLevel } from "#model/tools/log-level";

/**
 * The level that a server of the 2025 era was told: it holds for the whole connection, which several callers share. It is
 * the least severe that any of them wants; the gateway leaves out what one of them does not want.
 */
export class ServerLogLevel {
  private least: number = LOG_LEVELS.length;
  private telling: Promise<unknown> = Promise.resolve();

  constructor(private readonly tell: (level: LogLevel) => Promise<unknown>) {}

  /** Resolves when the server knows, or cannot be told. */
  async reach(level: LogLevel): Promise<void> {
    const at = LOG_LEVELS.indexOf(level);
    if (at < this.least) {
      this.least = at;
      const told = (): Promise<unknown> => this.tell(level);
      // A server that refuses only says less than it could: the call goes on.
      this.telling = this.telling.then(told).catch(() => undefined);
    }
    await this.telling;
  }
}
