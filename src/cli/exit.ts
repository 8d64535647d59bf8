/** What scripts may rely on; published, never renumbered. */
export const EXIT = {
  ok: 0,
  failure: 1,
  usage: 2,
  configuration: 3,
  newerData: 4,
  locked: 5,
  addressInUse: 6,
  integrity: 8,
  notFound: 9,
  blocked: 10,
  differs: 11,
} as const;

/** Ends a command on purpose with one message for the person at the terminal. Never holds secrets. */
export class CliExit extends Error {
  override readonly name = "Stop";
  constructor(
    readonly code: number,
    message: string,
    /** Shown below the message, instead of the hint that names the help. */
    readonly help: string | null = null,
  ) {
    super(message);
  }
}

export const usage = (message: string, help: string | null = null): CliExit => new CliExit(EXIT.usage, message, help);
