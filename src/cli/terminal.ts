import { isatty } from "node:tty";
import type { Environment } from "#config/environment";

/** What a command is told of the terminal it runs in. */
export type Terminal = {
  /** Of the terminal that stdout is; null where it is none. */
  columns(): number | null;
  /** Whether a person reads stderr. */
  readsErrors(): boolean;
};

/** Where a terminal does not say how wide it is. */
const USUAL_COLUMNS = 80;

/** Asked of the descriptors first: `process.stdout` brings the library of streams along. */
export const processTerminal = (): Terminal => ({
  columns: () => (isatty(1) ? process.stdout.columns || USUAL_COLUMNS : null),
  readsErrors: () => isatty(2),
});

/** As wide as `COLUMNS` says, which a person may set, or as the terminal is. */
export const columnsIn = (terminal: Terminal, environment: Environment): number | null => {
  const own = terminal.columns();
  const said = Number(environment["COLUMNS"]);
  return own !== null && Number.isInteger(said) && said > 0 ? said : own;
};

/** https://no-color.org: a variable that is not empty; `TERM=dumb` knows no escape sequences. */
export const showsColour = (terminal: Terminal, environment: Environment): boolean =>
  terminal.columns() !== null && !environment["NO_COLOR"] && environment["TERM"] !== "dumb";

/** A line that is drawn again and again is for a terminal that can take it away. */
export const showsProgress = (terminal: Terminal, environment: Environment): boolean =>
  terminal.readsErrors() && environment["TERM"] !== "dumb";
