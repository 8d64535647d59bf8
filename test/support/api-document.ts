import Ajv2020, { type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { isRecord, type JsonRecord } from "#core/json/json";

const METHODS = ["get", "put", "post", "delete", "options", "patch"];

/** One operation of the document. */
export type Operation = { readonly method: string; readonly path: string; readonly it: JsonRecord };

/** An answer as somebody got it. */
export type Got = { readonly method: string; readonly path: string; readonly status: number; readonly type: string };

/**
 * The hub's OpenAPI document, to hold answers against. Stricter than a client has to be: a field the document does
 * not name is a fault, unless it says that there may be others.
 */
export class ApiDocument {
  readonly operations: readonly Operation[];
  private readonly checks = new Map<string, ValidateFunction>();
  private readonly ajv = new Ajv2020({ strict: false, allErrors: false });
  private readonly patterns: readonly (Operation & { readonly fits: RegExp })[];

  constructor(readonly document: JsonRecord) {
    addFormats(this.ajv);
    this.ajv.addSchema({ $id: "api", components: closed(recordAt(document, "components")) });
    this.operations = Object.entries(recordAt(document, "paths")).flatMap(([path, item]) =>
      Object.entries(isRecord(item) ? item : {}).flatMap(([method, it]) =>
        METHODS.includes(method) && isRecord(it) ? [{ method, path, it }] : [],
      ),
    );
    this.patterns = this.operations
      .map((one) => ({ ...one, fits: patternOf(one.path) }))
      .sort((one, other) => variables(one.path) - variables(other.path));
  }

  /** What is wrong with an answer; null for nothing, and for what the document has nothing to say about. */
  faultOf({ method, path, status, type }: Got, body: unknown): string | null {
    const asked = method.toLowerCase() === "head" ? "get" : method.toLowerCase();
    const found = this.patterns.find((one) => one.method === asked && one.fits.test(path));
    if (!found) return null;
    const name = `${asked} ${found.path} ${status}`;
    // A route that does not say yet how it answers when all is well; `test/http/openapi.test.ts` finds those.
    if (!Object.keys(this.responsesOf(found)).some((one) => one.startsWith("2")) && found.it["deprecated"] !== true)
      return null;
    const answer = this.responsesOf(found)[String(status)] ?? {};
    if (Object.keys(answer).length === 0) return `${name}: the status is not documented`;
    const media = recordAt(answer, "content");
    const [kind = ""] = type.split(";");
    const content = Object.entries(media).find(([one]) => one.startsWith(kind))?.[1];
    if (!isRecord(content)) return `${name}: ${kind} is not documented`;
    if (kind !== "application/json") return null;
    const fault = this.mismatch(recordAt(content, "schema"), body);
    return fault && `${name}: ${fault}`;
  }

  /** By status; those that many share are looked up. */
  responsesOf({ it }: Operation): Readonly<Record<string, JsonRecord>> {
    const shared = recordAt(recordAt(this.document, "components"), "responses");
    const entries = Object.entries(recordAt(it, "responses")).map(([status, answer]): [string, JsonRecord] => {
      const reference = isRecord(answer) ? answer["$ref"] : undefined;
      if (typeof reference !== "string") return [status, isRecord(answer) ? answer : {}];
      return [status, recordAt(shared, reference.slice(reference.lastIndexOf("/") + 1))];
    });
    return Object.fromEntries(entries);
  }

  /** What is wrong with a value; null for nothing. */
  mismatch(schema: JsonRecord, value: unknown): string | null {
    const name = JSON.stringify(schema);
    let check = this.checks.get(name);
    if (!check) {
      check = this.ajv.compile(referring(closed(schema)));
      this.checks.set(name, check);
    }
    if (check(value)) return null;
    const [first] = check.errors ?? [];
    return `${first?.instancePath ?? ""} ${first?.message ?? ""} ${JSON.stringify(first?.params ?? {})}`;
  }
}

const recordAt = (record: JsonRecord, name: string): JsonRecord => {
  const value = record[name];
  return isRecord(value) ? value : {};
};

const variables = (path: string): number => path.split("{").length;

/** `{model}` of models holds slashes. */
const patternOf = (path: string): RegExp =>
  new RegExp(
    `^${path
      .split("/")
      .map((part) =>
        part === "{model}" || part === "{path}" ? ".+" : part.startsWith("{") ? "[^/]+" : RegExp.escape(part),
      )
      .join("/")}$`,
  );

/** An object that says nothing of other properties takes none; parts of an `allOf` say nothing by themselves. */
const closed = (schema: JsonRecord): JsonRecord => {
  const entries = Object.entries(schema).map(([name, value]): [string, unknown] => {
    if (name === "allOf") return [name, value];
    if (Array.isArray(value)) return [name, value.map((one) => (isRecord(one) ? closed(one) : one))];
    return [name, isRecord(value) && name !== "examples" && name !== "default" ? closed(value) : value];
  });
  const made = Object.fromEntries(entries);
  const isShape =
    made["type"] === "object" && isRecord(made["properties"]) && made["additionalProperties"] === undefined;
  return isShape ? { ...made, additionalProperties: false } : made;
};

/** References as the components are registered here. */
const referring = (schema: JsonRecord): JsonRecord => {
  const text = JSON.stringify(schema).replaceAll('"#/components/', '"api#/components/');
  const parsed: unknown = JSON.parse(text);
  return isRecord(parsed) ? parsed : {};
};
