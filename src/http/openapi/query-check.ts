import { GuardError } from "#core/errors";
import type { TSchema } from "#core/schema";
import { expectedAt, literalsOf } from "#core/shape-check";
import { isUuid } from "#platform/ids";
import { type RegisteredRoute, routeDocOf } from "./route-doc";

/** RFC 3339 §5.6, as we write it ourselves and with an offset. */
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/i;

/** Unix milliseconds; not a number for what is no time, nor for a day that its month does not have. */
export const momentOf = (text: string): number => {
  const [year = 0, month = 0, day = 0] = text.split(/\D/, 3).map(Number);
  const daysOfMonth = new Date(Date.UTC(year, month, 0)).getUTCDate();
  return TIME.test(text) && day <= daysOfMonth ? Date.parse(text) : Number.NaN;
};

/** A time an address names, Unix milliseconds; undefined for none. Throws `invalid_value`. */
export const momentIn = (name: string, text: string | undefined): number | undefined => {
  if (text === undefined) return undefined;
  const moment = momentOf(text);
  if (Number.isFinite(moment)) return moment;
  throw new GuardError("invalid_value", `${name} must be a time in RFC 3339, such as 2026-11-21T09:30:00Z.`, {
    param: name,
  });
};

type Params = Readonly<Record<string, TSchema>>;

/** Throws `invalid_value`, with the name in `param`. */
export const checkQuery = (params: Params, given: URLSearchParams): void => {
  for (const [name, schema] of Object.entries(params)) checkOne(name, schema, given.getAll(name));
};

/**
 * Holds what stands behind the `?` of an address against the schemas that document it, so that a slip of the pen is
 * told of and does not show everything, or nothing, instead. Names that no route knows are nobody's business here.
 */
export class QueryChecks {
  private known: ReadonlyMap<string, Params> = new Map();
  /** What it was made of. */
  private from: readonly RegisteredRoute[] = [];

  constructor(private readonly routes: () => readonly RegisteredRoute[]) {}

  /** `route` is the pattern that fits, as the router keeps it. Throws `invalid_value`, with the name in `param`. */
  check({ method, url }: Pick<Request, "method" | "url">, route: string): void {
    const at = url.indexOf("?");
    if (at < 0) return;
    const params = this.params().get(`${method === "HEAD" ? "GET" : method} ${route}`);
    if (!params) return;
    checkQuery(params, new URLSearchParams(url.slice(at)));
  }

  private params(): ReadonlyMap<string, Params> {
    const routes = this.routes();
    if (this.from !== routes) {
      this.from = routes;
      this.known = paramsOf(routes);
    }
    return this.known;
  }
}

const paramsOf = (routes: readonly RegisteredRoute[]): ReadonlyMap<string, Params> =>
  new Map(
    routes.flatMap((route): [string, Params][] => {
      const { query } = routeDocOf(route);
      return query ? [[`${route.method} ${route.path}`, query]] : [];
    }),
  );

const checkOne = (name: string, schema: TSchema, texts: readonly string[]): void => {
  const [text, another] = texts;
  if (text === undefined) return;
  if (another !== undefined) throw new GuardError("invalid_value", `${name} is given twice.`, { param: name });
  if (fits(schema, text)) return;
  const expected = formOf(schema);
  throw new GuardError("invalid_value", `${name} is invalid${expected === "" ? "." : `: ${expected}`}`, {
    param: name,
  });
};

/** `?all` alone says yes. */
const YES_OR_NO = ["", "true", "false"];

/** Whether a text of an address stands for a value of the schema. */
const fits = (schema: TSchema, text: string): boolean => {
  if (schema["type"] === "boolean") return YES_OR_NO.includes(text);
  if (schema["type"] === "integer") return isWithin(schema, text);
  const words = literalsOf(schema);
  if (words.length > 0) return words.includes(text);
  const { format, pattern, minLength = 0, maxLength = Number.POSITIVE_INFINITY } = schema;
  if (format === "uuid" && !isUuid(text)) return false;
  if (format === "date-time" && !Number.isFinite(momentOf(text))) return false;
  if (typeof pattern === "string" && !new RegExp(pattern).test(text)) return false;
  return text.length >= minLength && text.length <= maxLength;
};

const isWithin = ({ minimum = 0, maximum = Number.MAX_SAFE_INTEGER }: TSchema, text: string): boolean =>
  /^\d{1,15}$/.test(text) && Number(text) >= minimum && Number(text) <= maximum;

const formOf = (schema: TSchema): string => {
  const { type, format, minimum, maximum } = schema;
  if (type === "boolean") return "true or false.";
  if (type === "integer") return `a whole number${maximum === undefined ? "" : ` from ${minimum ?? 0} to ${maximum}`}.`;
  if (format === "date-time") return "a time in RFC 3339, as 2026-11-21T09:30:00Z.";
  if (format === "uuid" && schema["description"] === undefined) return "an id.";
  return expectedAt(schema);
};

/** Whether a yes-or-no of an address says yes. */
export const isOn = (text: string | undefined): boolean => text === "" || text === "true";
