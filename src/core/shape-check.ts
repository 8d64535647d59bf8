import { GuardError } from "#core/errors";
import { nearest } from "#core/nearest";
import { Shape, type Static, type TSchema } from "./schema";

/** What the schema library says is wrong at one place. */
type Fault = { readonly path: string; readonly message: string; readonly schema: TSchema; readonly value: unknown };

/** A field name that an error may repeat: short enough to be one. */
const NAMEABLE = /^[A-Za-z0-9_-]{1,64}$/;

/** Refuses what has not the shape of a schema, and says where and what is expected there, never what was sent. */
export class ShapeCheck<T extends TSchema> {
  private readonly shape;

  /** `at` is the JSON path of what is checked, for `param`; empty for a whole body. */
  constructor(
    private readonly schema: T,
    private readonly at = "",
  ) {
    this.shape = new Shape(schema);
  }

  /** Throws `invalid_value` with the JSON path in `param`. */
  check(value: unknown): Static<T> {
    if (this.shape.fits(value)) return value;
    const faults = this.faultsOf(value);
    // A misspelt name is what explains the others: the right one is missing because of it.
    throw refusal(faults.find(isUnknownName) ?? faults[0], this.at, this.schema);
  }

  /** All that is wrong, a line for each place; an unknown name with the known one that was probably meant. */
  problems(value: unknown): string[] {
    const faults = new Map<string, Fault>();
    for (const fault of this.faultsOf(value)) if (!faults.has(fault.path)) faults.set(fault.path, fault);
    const meant = new Map([...faults.values()].filter(isUnknownName).map(({ path }) => [path, this.meant(path)]));
    const misspelt = new Set(meant.values());
    return [...faults.values()]
      .filter(({ path, message }) => message !== MISSING || !misspelt.has(path))
      .map((fault) => {
        const guess = meant.get(fault.path)?.split("/").at(-1);
        const line = refusal(fault, this.at, this.schema).message;
        return guess === undefined ? line : line.replace(/\.$/, `; did you mean ${unescaped(guess)}?`);
      });
  }

  private faultsOf(value: unknown): Fault[] {
    const faults: Fault[] = [];
    for (const { path, message, schema, value: found } of this.shape.faults(value)) {
      faults.push({ path, message, schema, value: found });
      if (faults.length === MAX_FAULTS) break;
    }
    return faults;
  }

  /** The path of the known name beside an unknown one that is near to it. */
  private meant(path: string): string | undefined {
    const end = path.lastIndexOf("/");
    const beside = path.slice(0, end);
    const guess = nearest(unescaped(path.slice(end + 1)), namesAt(this.schema, beside.split("/").slice(1)));
    return guess === null ? undefined : `${beside}/${guess}`;
  }
}

/** Enough to find a misspelt name among what is missing because of it. */
const MAX_FAULTS = 100;

const MISSING = "Expected required property";

const isUnknownName = ({ message }: Fault): boolean => message === "Unexpected property";

const refusal = (fault: Fault | undefined, at: string, whole: TSchema): GuardError => {
  const parts = (fault?.path ?? "").split("/").slice(1).map(unescaped);
  const param = pathOf(at, parts);
  if (fault && isUnknownName(fault)) {
    const problem = parts.every((part) => NAMEABLE.test(part)) ? "is not known here" : "has a field that is not known";
    return new GuardError("invalid_value", `${named(param)} ${problem}.`, { param });
  }
  const expected = expectedAt(fault?.schema ?? whole);
  const problem = problemOf(fault);
  return new GuardError("invalid_value", `${named(param)} ${problem}${expected === "" ? "." : `: ${expected}`}`, {
    param: param === "" ? undefined : param,
  });
};

const problemOf = (fault: Fault | undefined): string => {
  if (fault?.message === MISSING) return "is missing";
  return fault?.value === "" ? "is empty" : "has not the right form";
};

/** The names an object may have, some way into a schema. */
const namesAt = (schema: TSchema, [part, ...rest]: readonly string[]): string[] => {
  const meant = withoutNull(schema);
  const properties: unknown = meant["properties"];
  const known = typeof properties === "object" && properties !== null ? properties : {};
  if (part === undefined) return Object.keys(known);
  const next: unknown = /^\d+$/.test(part)
    ? meant["items"]
    : Object.entries(known).find(([name]) => name === part)?.[1];
  return isSchema(next) ? namesAt(next, rest) : [];
};

const isSchema = (value: unknown): value is TSchema => typeof value === "object" && value !== null;

const named = (param: string): string => (param === "" ? "The body" : param);

/** `answers.tools.tools[2].effect`; it ends before the first name that is too odd to be repeated. */
const pathOf = (at: string, parts: readonly string[]): string => {
  const odd = parts.findIndex((part) => !NAMEABLE.test(part));
  const sound = odd < 0 ? parts : parts.slice(0, odd);
  return sound.reduce((path, part) => {
    if (/^\d+$/.test(part)) return `${path}[${part}]`;
    return path === "" ? part : `${path}.${part}`;
  }, at);
};

const unescaped = (part: string): string => part.replaceAll("~1", "/").replaceAll("~0", "~");

/** What a schema says of itself, for people: its description, and the values when there are few. */
export const expectedAt = (schema: TSchema): string => {
  const meant = withoutNull(schema);
  const description: unknown = schema["description"] ?? meant["description"];
  const values = literalsOf(meant);
  const parts = [
    typeof description === "string" ? description : "",
    values.length === 0 ? "" : `One of ${values.join(", ")}.`,
  ];
  return parts.filter((part) => part !== "").join(" ");
};

/** What stands beside null, where a schema allows null and one other thing. */
export const withoutNull = (schema: TSchema): TSchema => {
  const others = optionsOf(schema).filter(({ type }) => type !== "null");
  const [only, second] = others;
  return only !== undefined && second === undefined ? only : schema;
};

/** The values a schema allows, if it lists them. */
export const literalsOf = (schema: TSchema): string[] =>
  optionsOf(schema).flatMap((option) => (typeof option["const"] === "string" ? [option["const"]] : literalsOf(option)));

const optionsOf = (schema: TSchema): TSchema[] => {
  const options: unknown = schema["anyOf"];
  return Array.isArray(options) ? options : [];
};
