import type { Output } from "./output";

/** All of stdin; says what it waits for when a person sits there. */
export const readStdin = async (out: Output, what: string): Promise<string> => {
  if (process.stdin.isTTY) await out.note(`Reading ${what} from the terminal; end with Ctrl-D.`);
  return Bun.stdin.text();
};
