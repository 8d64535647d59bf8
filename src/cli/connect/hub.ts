import { CliExit, EXIT, usage } from "#cli/exit";
import type { Target } from "#clients/client";
import type { Environment } from "#config/environment";
import { isRecord, parseJson } from "#core/json/json";
import { suggestionFor } from "#core/nearest";
import { CLIENT_VARIABLES } from "#model/client-variables";

const LIMIT_MS = 10_000;
/** Longest answer that is read, in characters. */
const MAX_ANSWER = 16_777_216;
/** A client's list of more would not be looked through. */
const MAX_MODELS = 500;

/** A hub, and whose calls are made at it. */
export type Hub = Pick<Target, "hub" | "token">;

/** The hub that the variables name. Both end up in commands that a shell reads, so neither may hold more than they need. */
export const hubOf = (environment: Environment): Hub => {
  const given = environment[CLIENT_VARIABLES.url] ?? "";
  const token = environment[CLIENT_VARIABLES.token] ?? "";
  if (given === "" || token === "") {
    throw usage(`Set ${CLIENT_VARIABLES.url}, the hub's address, and ${CLIENT_VARIABLES.token}, a gateway token`);
  }
  if (!/^[A-Za-z0-9_-]{8,500}$/.test(token)) throw usage(`${CLIENT_VARIABLES.token} is no gateway token`);
  return { hub: addressOf(given), token };
};

const addressOf = (given: string): string => {
  const wrong = (why: string) => usage(`${CLIENT_VARIABLES.url} ${why}, as in https://hub.example.com`);
  if (!URL.canParse(given)) throw wrong("must be an address");
  const { protocol, hostname, origin, pathname, username, search, hash } = new URL(given);
  if (!/^https?:$/.test(protocol)) throw wrong("begins with https:// or http://");
  if (!/^[\w.-]+$|^\[[\da-f:.]+\]$/i.test(hostname)) throw wrong("has a host of letters, digits and `-._`");
  if (username !== "" || search !== "" || hash !== "") throw wrong("is an address without a user, `?` and `#`");
  if (!/^[\w/.~-]*$/.test(pathname)) throw wrong("has a path of letters, digits and `-._~`");
  return `${origin}${pathname}`.replace(/\/+$/, "").replace(/\/v1$/, "");
};

/** What the hub says to a request. */
export type Answer = { readonly status: number; readonly headers: Headers; readonly text: string };

/** Asks the hub; throws when nothing there answers. */
export const ask = async (
  { hub, token }: Hub,
  path: string,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> => {
  try {
    const response = await fetch(`${hub}${path}`, {
      method: body === undefined ? "GET" : "POST",
      headers: {
        authorization: `Bearer ${token}`,
        ...(body !== undefined && { "content-type": "application/json" }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      redirect: "error",
      signal: AbortSignal.timeout(LIMIT_MS),
    });
    const text = await response.text();
    if (text.length > MAX_ANSWER) throw new CliExit(EXIT.failure, "The hub's answer is too long");
    return { status: response.status, headers: response.headers, text };
  } catch (cause) {
    if (cause instanceof CliExit) throw cause;
    const isLate = cause instanceof Error && cause.name === "TimeoutError";
    throw new CliExit(
      EXIT.failure,
      isLate ? `${hub} did not answer within ${LIMIT_MS / 1_000} s` : `${hub} cannot be reached`,
    );
  }
};

/** What an answer says went wrong: the code of its error. */
export const faultOf = ({ status, text }: Answer): string => {
  const body = parseJson(text);
  const error = isRecord(body) && isRecord(body["error"]) ? body["error"] : {};
  const { code } = error;
  return typeof code === "string" && /^[a-z_]{1,40}$/.test(code) ? `${status} ${code}` : String(status);
};

/** Every model the token may use. Proves address and token before anything is written. */
export const modelsOf = async (hub: Hub): Promise<readonly string[]> => {
  const answer = await ask(hub, "/v1/models");
  const body = parseJson(answer.text);
  const list = isRecord(body) ? body["data"] : null;
  if (answer.status !== 200) throw new CliExit(EXIT.failure, `${hub.hub} answers ${faultOf(answer)} to the token`);
  if (!Array.isArray(list)) throw new CliExit(EXIT.failure, `What answers at ${hub.hub} is no hub`);
  return list
    .flatMap((model: unknown) => (isRecord(model) && typeof model["id"] === "string" ? [model["id"]] : []))
    .filter((id) => /^[^\p{C}]{1,256}$/u.test(id))
    .slice(0, MAX_MODELS);
};

/** The model of the command line, as the hub lists it. */
export const modelIn = (models: readonly string[], wanted: string | undefined): string | null => {
  if (wanted === undefined || models.includes(wanted)) return wanted ?? null;
  throw usage(`--model ${wanted}: the token may not use it, or no provider serves it${suggestionFor(wanted, models)}`);
};
