import { parseExactly } from "#core/json/json-reader";
import { basePath } from "#dashboard/address/base-path";
import type { Routes } from "./routes";

export type RouteKey = keyof Routes & string;

/** `:id` and the like in an address. */
type Variables<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | Variables<`/${Rest}`>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never;

type Query<Key extends RouteKey> = Routes[Key] extends { readonly query: infer Shape extends object } ? Shape : never;
type Body<Key extends RouteKey> = Routes[Key] extends { readonly body: infer Shape extends object } ? Shape : never;

/** What a route takes, as far as it takes anything. */
export type Input<Key extends RouteKey> = ([Variables<Key>] extends [never]
  ? { readonly params?: never }
  : { readonly params: Readonly<Record<Variables<Key>, string>> }) &
  ([Query<Key>] extends [never] ? { readonly query?: never } : { readonly query?: Query<Key> }) &
  ([Body<Key>] extends [never] ? { readonly body?: never } : { readonly body: Body<Key> }) & {
    /** Only when it is still this revision. */
    readonly revision?: number;
    /** Goes on when the page is left meanwhile. */
    readonly keepalive?: boolean;
  };

export type AnswerTo<Key extends RouteKey> = Routes[Key]["answer"];

type Problem = { readonly message?: string; readonly code?: string; readonly param?: string | null };

/** What the hub said against it, in its own words; `code` is one of its catalogue, or `unreachable`. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly param: string | null,
    readonly requestId: string | null,
  ) {
    super(message);
  }
}

export const unreachable = (): ApiError => new ApiError(0, "unreachable", "The hub cannot be reached.", null, null);

export const isSignedOut = (error: unknown): boolean => error instanceof ApiError && error.status === 401;

/** For people: what the hub said. */
export const messageOf = (error: unknown): string => {
  if (isSignedOut(error)) return "You are signed out. Sign in again in another tab, then repeat this action.";
  return error instanceof ApiError ? error.message : "Something went wrong on this page. Reload it.";
};

/** The parts of a request, whatever the route. */
export type QueryOf = {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: object;
  readonly body?: object;
  readonly revision?: number;
  readonly keepalive?: boolean;
};

const addressOf = (path: string, { params = {}, query = {} }: QueryOf): string => {
  const filled = path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ""));
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== "") search.set(name, String(value));
  }
  const text = search.toString();
  return `${basePath()}${filled}${text === "" ? "" : `?${text}`}`;
};

const problemOf = async (response: Response): Promise<ApiError> => {
  const body: { readonly error?: Problem } = await response.json().catch(() => ({}));
  // What a proxy says in the place of a hub that is away.
  if (response.status >= 502 && !body.error) return unreachable();
  const { message, code, param } = body.error ?? {};
  return new ApiError(
    response.status,
    code ?? "internal_error",
    message ?? "The hub sent an unreadable response.",
    param ?? null,
    response.headers.get("x-request-id"),
  );
};

/** One request, its answer as it was read; null where there is nothing to read. Throws `ApiError`. */
export const ask = async (key: string, asked: QueryOf, signal?: AbortSignal) => {
  const [method = "GET", path = "/"] = key.split(" ");
  const { body, revision, keepalive = false } = asked;
  const lost = (cause: unknown): never => {
    throw signal?.aborted ? cause : unreachable();
  };
  const headers = {
    ...(body === undefined ? {} : { "content-type": "application/json" }),
    ...(revision === undefined ? {} : { "if-match": `"${revision}"` }),
  };
  const response = await fetch(addressOf(path, asked), {
    method,
    keepalive,
    ...(signal ? { signal } : {}),
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  }).catch(lost);
  if (!response.ok) throw await problemOf(response);
  // Numbers of calls and definitions are shown digit for digit, where the browser can hold them.
  const answer: ReturnType<JSON["parse"]> = parseExactly((await response.text().catch(lost)) || "null");
  return answer;
};

/** Asks the hub. `key` is method and address as the documents name them. Throws `ApiError`. */
export const call = <Key extends RouteKey>(key: Key, input: Input<Key>, signal?: AbortSignal): Promise<AnswerTo<Key>> =>
  ask(key, input, signal);

/** Where a file of a route is, for links. */
export const addressFor = <Key extends RouteKey>(key: Key, input: Input<Key>): string =>
  addressOf(key.split(" ")[1] ?? "/", input);
