import { isRecord, type JsonRecord, parseJson } from "#core/json/json";

export type ShimOptions = {
  /** The tool gateway. */
  readonly target: string;
  readonly token: string;
  /** What stands before the names of the tools and prompts the suite asks for. */
  readonly prefix: string;
  /** Waited for before a list is passed on. */
  readonly beforeList: () => Promise<unknown>;
};

/**
 * Stands between the official conformance suite and the hub, because the suite can neither send a bearer token nor
 * does it know how tools are named here. It changes nothing else: host, origin and all other headers stay.
 */
export class ConformanceShim implements AsyncDisposable {
  readonly #server: Bun.Server<undefined>;

  constructor(private readonly options: ShimOptions) {
    this.#server = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      idleTimeout: 0,
      fetch: (request) => this.#pass(request),
    });
  }

  get url(): string {
    return `http://localhost:${this.#server.port}/mcp`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.stop(true);
  }

  async #pass(request: Request): Promise<Response> {
    const { target, token, prefix } = this.options;
    const headers = new Headers(request.headers);
    headers.set("authorization", `Bearer ${token}`);
    for (const name of ["content-length", "connection", "accept-encoding"]) headers.delete(name);
    const name = headers.get("mcp-name");
    const isRead = headers.get("mcp-method") === "resources/read";
    if (name !== null) headers.set("mcp-name", (isRead ? uriPrefix(prefix) : prefix) + name);
    const body = request.method === "POST" ? await request.text() : null;
    const message = parseJson(body ?? "");
    const { signal, method } = request;
    const isList = isRecord(message) && message["method"] === "tools/list";
    if (isList) await this.options.beforeList();
    const answer = await fetch(target, { method, headers, body: prefixed(message, prefix) ?? body, signal });
    if (!isRecord(message) || !CHANGED.has(`${message["method"]}`)) return answer;
    return new Response(stripped(await answer.text(), prefix), {
      status: answer.status,
      headers: bare(answer.headers),
    });
  }
}

/** The length and encoding of a body that was changed are not those of the answer. */
const bare = (headers: Headers): Headers => {
  const kept = new Headers(headers);
  for (const name of ["content-length", "content-encoding", "transfer-encoding"]) kept.delete(name);
  return kept;
};

/** Methods whose answers name tools, prompts or resources. */
const CHANGED: ReadonlySet<string> = new Set([
  "tools/list",
  "resources/list",
  "resources/templates/list",
  "resources/read",
  "prompts/list",
  "prompts/get",
]);

const BY_URI: ReadonlySet<string> = new Set(["resources/read", "resources/subscribe", "resources/unsubscribe"]);

const uriPrefix = (prefix: string): string => `guardhouse://${prefix.replace(/__$/, "")}/`;

/** A request under public names and URIs; undefined for every other message. */
const prefixed = (message: unknown, prefix: string): string | undefined => {
  if (!isRecord(message) || !isRecord(message["params"])) return undefined;
  const { method, params } = message;
  const changed = (fields: JsonRecord) => JSON.stringify({ ...message, params: { ...params, ...fields } });
  const { name, uri, ref } = params;
  if ((method === "tools/call" || method === "prompts/get") && typeof name === "string") {
    return changed({ name: prefix + name });
  }
  if (typeof method === "string" && BY_URI.has(method) && typeof uri === "string")
    return changed({ uri: uriPrefix(prefix) + uri });
  if (method !== "completion/complete" || !isRecord(ref)) return undefined;
  const own =
    typeof ref["name"] === "string" ? { name: prefix + ref["name"] } : { uri: `${uriPrefix(prefix)}${ref["uri"]}` };
  return changed({ ref: { ...ref, ...own } });
};

/** A list under the names the suite knows: JSON, or the lines of an event stream. */
const stripped = (body: string, prefix: string): string =>
  body
    .replaceAll(uriPrefix(prefix), "")
    .split("\n")
    .map((line) => {
      const [, head = "", data = ""] = /^(data: ?)?(.*)$/.exec(line) ?? [];
      const message = parseJson(data);
      return isRecord(message) ? head + JSON.stringify(without(message, prefix)) : line;
    })
    .join("\n");

const without = (message: JsonRecord, prefix: string): JsonRecord => {
  const { result } = message;
  if (!isRecord(result)) return message;
  const field = ["tools", "prompts"].find((one) => Array.isArray(result[one]));
  const listed = field === undefined ? undefined : result[field];
  if (field === undefined || !Array.isArray(listed)) return message;
  const bareNames = listed.map((one: unknown) => {
    if (!isRecord(one) || typeof one["name"] !== "string") return one;
    return { ...one, name: one["name"].replace(prefix, "") };
  });
  return { ...message, result: { ...result, [field]: bareNames } };
};
