import { readFileSync } from "node:fs";
import { usage } from "./exit";
import type { Invocation } from "./verb";

/** All of stdin; says what it waits for when a person sits there. */
export const readStdin = async ({ out, host }: Pick<Invocation, "out" | "host">, what: string): Promise<string> => {
  if (host.stdin.isTerminal) await out.note(`Reading ${what} from the terminal; end with Ctrl-D.`);
  return host.stdin.text();
};

/** A JSON or TOML document in a file, or on stdin for `-`. A usage `Stop` names the file, never what is in it. */
export const readDocument = async (invocation: Invocation, flag: string): Promise<unknown> => {
  const { args } = invocation;
  const file = args.need(flag);
  const text = file === "-" ? await readStdin(invocation, `the ${flag}`) : readFile(file);
  const parse = text.trimStart().startsWith("{") ? JSON.parse : Bun.TOML.parse;
  try {
    return parse(text);
  } catch (cause) {
    if (cause instanceof Error) throw usage(`--${flag}: ${file} is neither JSON nor TOML`);
    throw cause;
  }
};

/** One line in a file, or on stdin for `-`, so that no secret stands in a command line. */
export const readSecret = async (invocation: Invocation, flag: string): Promise<string | undefined> => {
  const file = invocation.args.text(flag);
  if (file === undefined) return undefined;
  const text = file === "-" ? await readStdin(invocation, "the secret") : readFile(file);
  const secret = text.trim();
  if (secret === "") throw usage(`--${flag}: nothing is in it`);
  return secret;
};

/** A text file, or stdin for `-`. */
export const readTextFile = async (invocation: Pick<Invocation, "out" | "host">, file: string): Promise<string> =>
  file === "-" ? readStdin(invocation, "the file") : readFile(file);

const readFile = (file: string): string => {
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    if (cause instanceof Error) throw usage(`File ${file} does not exist or cannot be read`);
    throw cause;
  }
};
