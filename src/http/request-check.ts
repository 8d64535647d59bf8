import { GuardError } from "#core/errors";
import { isRecord, type JsonRecord } from "#core/json/json";
import { withDoubles } from "#core/json/json-number";
import { Pruner, wholePointer } from "#core/pruned";
import { type TSchema, TypeCompiler } from "#core/schema";
import { transportKeyIn } from "#model/transport-keys";
import { type Pause, runStepsSliced } from "#platform/slices";

/** What a body must look like, and what it is called: `a chat-completions request`. */
type Expected = { readonly schema: TSchema; readonly title: string };

/** Refuses a body of the wrong shape; everything unknown stays in it. */
export class RequestCheck {
  private made: ReturnType<typeof TypeCompiler.Compile> | null = null;
  private readonly pruner: Pruner;

  constructor(private readonly request: Expected) {
    this.pruner = new Pruner(request.schema);
  }

  /** Compiled for the first call of its API, in some 3 ms: a start would do it for all of them. */
  private get compiled(): ReturnType<typeof TypeCompiler.Compile> {
    this.made ??= TypeCompiler.Compile(this.request.schema);
    return this.made;
  }

  /** Throws `invalid_value` with the JSON path, or `parameter_not_allowed` for keys that would pick the upstream. */
  check(body: unknown): JsonRecord {
    if (!this.fits(body)) throw this.fault(withDoubles(body));
    return permitted(body);
  }

  /** The same for a body of any length, in slices. */
  async checkInSlices(body: unknown, pause: Pause): Promise<JsonRecord> {
    const { value, cuts } = await runStepsSliced(this.pruner.prune(body), pause);
    if (!this.decides(value, body)) throw this.fault(value, cuts);
    return permitted(body);
  }

  /** A number that no double can hold is a number all the same. */
  private fits(body: unknown): body is JsonRecord {
    return this.compiled.Check(withDoubles(body));
  }

  /** As `fits`, by what is left of a body when it is pruned. */
  private decides(left: unknown, _body: unknown): _body is JsonRecord {
    return this.compiled.Check(left);
  }

  private fault(body: unknown, cuts: ReadonlyMap<string, number> = UNCUT): GuardError {
    const first = this.compiled.Errors(body).First();
    if (!first) return new GuardError("invalid_value", `The body must be ${this.request.title}.`);
    return new GuardError("invalid_value", `Not what is expected here: ${expected(first.schema, first.message)}.`, {
      param: jsonPath(wholePointer(first.path, cuts)) || undefined,
    });
  }
}

const UNCUT: ReadonlyMap<string, number> = new Map();

/** Throws `parameter_not_allowed`. */
const permitted = (body: JsonRecord): JsonRecord => {
  if (!isRecord(body)) throw new GuardError("invalid_value", "The body must be a JSON object.");
  const transport = transportKeyIn(body);
  if (!transport) return body;
  throw new GuardError(
    "parameter_not_allowed",
    "This parameter would choose the provider or its key; the hub's operators do that. Remove it.",
    { param: transport },
  );
};

/** Our own words for the common faults; TypeBox's say nothing of the value either. */
const expected = (schema: TSchema, message: string): string =>
  schema["description"] ? String(schema["description"]) : message.toLowerCase().replace(/^expected /, "expected ");

/** `/messages/0/content` as `messages[0].content`. Names below free-form objects are not repeated. */
export const jsonPath = (pointer: string): string =>
  pointer
    .split("/")
    .slice(1)
    .map((part) => (/^\d+$/.test(part) ? `[${part}]` : `.${/^[a-z_]{1,32}$/.test(part) ? part : "*"}`))
    .join("")
    .replace(/^\./, "");
