import { ChatRequest, transportKeyIn } from "#core/chat";
import { GuardError } from "#core/errors";
import { isRecord } from "#core/json";
import { withDoubles } from "#core/json-number";
import { type TSchema, TypeCompiler } from "#core/schema";

/** Refuses a body of the wrong shape; everything unknown stays in it. */
export class ChatRequestCheck {
  private readonly compiled = TypeCompiler.Compile(ChatRequest);

  /** Throws `invalid_value` with the JSON path, or `parameter_not_allowed` for keys that would pick the upstream. */
  check(body: unknown): ChatRequest {
    if (!this.fits(body)) throw this.fault(withDoubles(body));
    if (!isRecord(body)) throw new GuardError("invalid_value", "The body must be a JSON object.");
    const transport = transportKeyIn(body);
    if (transport) {
      throw new GuardError(
        "parameter_not_allowed",
        "This parameter would choose the provider or its key; the hub's operators do that. Remove it.",
        { param: transport },
      );
    }
    return body;
  }

  /** A number that no double can hold is a number all the same. */
  private fits(body: unknown): body is ChatRequest {
    return this.compiled.Check(withDoubles(body));
  }

  private fault(body: unknown): GuardError {
    const first = this.compiled.Errors(body).First();
    if (!first) return new GuardError("invalid_value", "The body must be a chat-completions request.");
    return new GuardError("invalid_value", `Not what is expected here: ${expected(first.schema, first.message)}.`, {
      param: jsonPath(first.path) || undefined,
    });
  }
}

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
