import { isRecord, type JsonRecord } from "#core/json/json";
import { ApiDocument, type Operation } from "#test/support/api-document";
import { type Name, PEOPLE, RULES, type Rule } from "./rules";
import type { AuthorizationWorld } from "./world";

/** One address with a method, as the router writes it. */
export type Station = {
  readonly name: string;
  readonly method: string;
  readonly rule: Rule;
  /** What opens it. */
  readonly key: "session" | "token";
  readonly roles: readonly string[] | null;
  readonly isFresh: boolean;
  readonly example: unknown;
};

export type Got = {
  readonly status: number;
  readonly code: string | null;
  readonly text: string;
  readonly headers: Headers;
};

/** Nobody's. */
const UNKNOWN = "01a1fbfa-d53a-7410-9bb7-0d100e31ae5a";

/** `/v1/models/{model}` as the router has it. */
const routerPath = (path: string): string => path.replace("{model}", "*").replace(/\{(\w+)\}/g, ":$1");

const keyOf = ({ it }: Operation): Station["key"] | null => {
  const schemes = (Array.isArray(it["security"]) ? it["security"] : []).flatMap((one) => Object.keys(one));
  if (schemes.includes("session")) return "session";
  return schemes.length > 0 ? "token" : null;
};

/** What is asked with a key, and what nobody wrote a rule for. */
export const stationsOf = async ({
  hub,
}: AuthorizationWorld): Promise<{ stations: Station[]; unruled: string[]; stale: string[] }> => {
  const document: unknown = await (await hub.fetch("/openapi.json")).json();
  const api = new ApiDocument(isRecord(document) ? document : {});
  const stations: Station[] = [];
  const unruled: string[] = [];
  for (const operation of api.operations) {
    const key = keyOf(operation);
    const name = `${operation.method.toUpperCase()} ${routerPath(operation.path)}`;
    if (key === null || name === "OPTIONS /mcp/gateway") continue;
    const rule = RULES[name];
    if (!rule) unruled.push(name);
    if (rule) stations.push(stationOf(operation, name, key, rule));
  }
  const order = Object.keys(RULES);
  stations.sort((one, other) => order.indexOf(one.name) - order.indexOf(other.name));
  const known = new Set(stations.map(({ name }) => name));
  return { stations, unruled, stale: order.filter((name) => !known.has(name)) };
};

const stationOf = ({ method, it }: Operation, name: string, key: Station["key"], rule: Rule): Station => ({
  ...{ name, key, rule },
  method: method.toUpperCase(),
  roles: Array.isArray(it["x-roles"]) ? it["x-roles"].map(String) : null,
  isFresh: it["x-fresh"] === true,
  example: exampleOf(it),
});

const exampleOf = (it: JsonRecord): unknown => {
  const body = it["requestBody"];
  const content = isRecord(body) && isRecord(body["content"]) ? body["content"]["application/json"] : null;
  return isRecord(content) ? content["example"] : undefined;
};

/** The address of the thing the rule names, or of one that is not there. */
export const addressOf = ({ things }: AuthorizationWorld, { name, rule }: Station, isThere: boolean): string => {
  const [, path = ""] = name.split(" ");
  return Object.entries(rule.of ?? {}).reduce((filled, [variable, thing]) => {
    const known = typeof thing === "string" ? (things.get(thing) ?? "") : thing.text;
    // Only what somebody owns can be somebody else's; the last one of several is the thing itself.
    const value = isThere || typeof thing !== "string" ? known : UNKNOWN;
    return filled.replace(variable === "*" ? "*" : `:${variable}`, value);
  }, path);
};

export const initOf = ({ method, rule, example }: Station): { method: string; json?: unknown } => {
  const body = rule.body ?? example;
  return method === "GET" || body === undefined ? { method } : { method, json: body };
};

export const gotOf = async (response: Response): Promise<Got> => {
  const { status, headers } = response;
  const isJson = headers.get("content-type")?.startsWith("application/json") === true;
  // Files and streams say nothing about who may have them.
  if (!isJson) await response.body?.cancel();
  const text = isJson ? await response.text() : "";
  return { status, headers, text, code: isJson ? codeIn(text) : null };
};

const codeIn = (text: string): string | null => {
  const body: unknown = JSON.parse(text);
  const error = isRecord(body) ? body["error"] : null;
  return isRecord(error) && typeof error["code"] === "string" ? error["code"] : null;
};

/** What the rule and the route's own statement say must come of it; `null` for no refusal. */
export const expectedOf = (station: Station, who: Name): readonly [number, string] | null => {
  const { rule, key, roles } = station;
  const isPerson = PEOPLE.some((one) => one === who);
  if (key === "token" && isPerson) return [401, "invalid_api_key"];
  if (key === "session" && !isPerson) return [403, "insufficient_scope"];
  if (roles && !roles.includes(roleOf(who))) return [403, "insufficient_scope"];
  if (rule.sees && !rule.sees.includes(who)) return [404, "not_found"];
  return rule.does && !rule.does.includes(who) ? [403, "insufficient_scope"] : null;
};

const roleOf = (who: Name): string => (who === "owner" || who === "stranger" ? "member" : who);
