import type { Invocation } from "./verb";

/** All of stdin; says what it waits for when a person sits there. */
export const readStdin = async ({ out, host }: Pick<Invocation, "out" | "host">, what: string): Promise<string> => {
  if (host.stdin.isTerminal) await out.note(`Reading ${what} from the terminal; end with Ctrl-D.`);
  return host.stdin.text();
};
