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
} as const;

/** Ends a command on purpose with one message for the person at the terminal. Never holds secrets. */
export class Stop extends Error {
  override readonly name = "Stop";
  constructor(
    readonly code: number,
    message: string,
  ) {
    super(message);
  }
}

export const usage = (message: string): Stop => new Stop(EXIT.usage, message);
