import { readFileSync } from "node:fs";
import type { ToolCredentials } from "#model/tools/tool";
import { usage } from "./exit";
import { readStdin } from "./input";
import type { Invocation } from "./verb";

const OAUTH = ["oauth-client-id", "oauth-client-secret-file", "oauth-scope"] as const;

/** How the hub will prove itself to a server, as the flags say; null for not at all. Throws a usage `Stop`. */
export const readCredentials = async (invocation: Invocation): Promise<ToolCredentials | null> => {
  const { args } = invocation;
  const variableFile = args.text("env-file");
  if (variableFile !== undefined) {
    return { kind: "environment", variables: variablesIn(await readFile(invocation, variableFile, "the variables")) };
  }
  const headerFile = args.text("header-file");
  const isOAuth = args.on("oauth") || OAUTH.some((flag) => args.text(flag) !== undefined);
  if (headerFile !== undefined && isOAuth) throw usage("--header-file or --oauth…, not both");
  if (headerFile !== undefined) {
    return { kind: "headers", headers: headersIn(await readFile(invocation, headerFile, "the headers")) };
  }
  return isOAuth ? readOAuth(invocation) : null;
};

const readOAuth = async (invocation: Invocation): Promise<ToolCredentials> => {
  const { args } = invocation;
  const clientId = args.text("oauth-client-id") ?? null;
  const file = args.text("oauth-client-secret-file");
  const secret = file === undefined ? null : (await readFile(invocation, file, "the client secret")).trim();
  const scope = args.text("oauth-scope") ?? null;
  if (args.on("oauth")) return { kind: "authorization_code", client_id: clientId, client_secret: secret, scope };
  if (clientId === null || secret === null) {
    throw usage(
      "client credentials need --oauth-client-id and --oauth-client-secret-file; --oauth is the browser sign-in",
    );
  }
  return { kind: "client_credentials", client_id: clientId, client_secret: secret, scope };
};

/** Values of a proposal's inputs: none where there is no file. */
export const readValues = async (invocation: Invocation): Promise<Record<string, string>> => {
  const file = invocation.args.text("values-file");
  return file === undefined ? {} : variablesIn(await readFile(invocation, file, "the values"), "--values-file");
};

const readFile = async (invocation: Invocation, file: string, what: string): Promise<string> =>
  file === "-" ? readStdin(invocation, what) : readFileSync(file, "utf8");

/** `Name: value`, one a line. */
export const headersIn = (text: string): Record<string, string> =>
  pairsIn(text, {
    flag: "--header-file",
    form: "Name: value",
    pattern: /^([^:\s]+):[ \t]*(.*)$/,
    keyOf: (name) => name.toLowerCase(),
  });

/** `NAME=value`, one a line; lines that begin with `#` are comments. Values are taken as they are, quotes too. */
export const variablesIn = (text: string, flag = "--env-file"): Record<string, string> =>
  pairsIn(text.replaceAll(/^\s*#.*$/gm, ""), {
    flag,
    form: "NAME=value",
    pattern: /^([^=\s]+)=(.*)$/,
    keyOf: (name) => name,
  });

type Form = {
  readonly flag: string;
  readonly form: string;
  readonly pattern: RegExp;
  /** What makes two names one. */
  readonly keyOf: (name: string) => string;
};

/** What is wrong is told by the line's number: its text may be a secret. */
const pairsIn = (text: string, { flag, form, pattern, keyOf }: Form): Record<string, string> => {
  const names = new Set<string>();
  const lines = text.split(/\r?\n/).map((line, index) => ({ line, number: index + 1 }));
  const pairs = lines
    .filter(({ line }) => line.trim() !== "")
    .map(({ line, number }) => {
      const [, name, value] = pattern.exec(line) ?? [];
      if (name === undefined || value === undefined) throw usage(`${flag}: line ${number} is not "${form}"`);
      if (names.has(keyOf(name))) throw usage(`${flag}: line ${number} repeats a name`);
      names.add(keyOf(name));
      return [name, value] as const;
    });
  return Object.fromEntries(pairs);
};
