import { isRecord } from "#core/json/json";
import { ApiDocument } from "./api-document";

let known: Promise<ApiDocument | null> | undefined;

/** Null where the hub tells nobody anything yet: before there is an administrator. */
const loaded = async (load: () => Promise<string>): Promise<ApiDocument | null> => {
  const document: unknown = JSON.parse(await load());
  if (!isRecord(document)) throw new Error("the hub gave no document of its addresses");
  return "openapi" in document ? new ApiDocument(document) : null;
};

/** What models answer is theirs, and comes as slowly as they say it; JSON alone can be held against a schema. */
const isOurs = (path: string, type: string): boolean =>
  /^\/(v1|api|healthz|readyz|\.well-known)\b/.test(path) &&
  !/^\/v1\/(?:chat\/completions|messages(?:\/count_tokens)?)$/.test(path) &&
  type.startsWith("application/json");

/**
 * Holds an answer against the hub's own document, which is read once a run; gives it back as it came. Throws what
 * is not as documented: a field, a status or an error code without a word about it. `path` is below the base path.
 */
export const asDocumented = async (
  response: Response,
  { method, path, load }: { method: string; path: string; load: () => Promise<string> },
): Promise<Response> => {
  const type = response.headers.get("content-type") ?? "";
  const [place = ""] = path.split("?");
  if (!isOurs(place, type) || method === "HEAD") return response;
  known ??= loaded(load);
  const api = await known;
  if (!api) known = undefined;
  if (!api) return response;
  const text = await response.clone().text();
  const fault = api.faultOf({ method, path: place, status: response.status, type }, JSON.parse(text));
  if (fault) throw new Error(`not as documented: ${fault}\n${text.slice(0, 1_000)}`);
  return response;
};
