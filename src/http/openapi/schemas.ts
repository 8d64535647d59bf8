import { type Static, type TSchema, Type } from "#core/schema";
import { SUSPENSION_RIGHTS, type Suspension } from "#model/suspension";

export const orNull = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

export const oneOf = <const T extends readonly string[]>(values: T, description?: string) =>
  Type.Union(
    values.map((value) => Type.Literal<T[number]>(value)),
    description === undefined ? {} : { description },
  );

/** What is answered is not changed by anybody. */
export const listOf = <T extends TSchema>(schema: T) => Type.Unsafe<readonly Static<T>[]>(Type.Array(schema));

/** One page of a list, as `pageOf` makes it. */
export const pageSchema = <T extends TSchema>(schema: T) =>
  Type.Object({
    object: Type.Literal("list"),
    data: listOf(schema),
    has_more: Type.Boolean(),
    next_cursor: orNull(Type.String({ description: "Pass as cursor to get the next page." })),
  });

/** For readers of the document that take a format for a remark. */
const UUID = "^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$";

/** What every list takes. */
export const PAGE_QUERY = {
  limit: Type.Integer({ minimum: 1, maximum: 200, default: 50, description: "Maximum number of items." }),
  cursor: Type.String({ format: "uuid", pattern: UUID, description: "next_cursor of the previous page." }),
} as const;

/** For lists of which one is chosen by name. */
export const searchIn = (what: string) =>
  Type.String({ maxLength: 100, description: `Only items with this text in ${what}; case is ignored.` });

/** What a change by gateway token may carry, to be done once. */
export const IDEMPOTENCY = {
  "idempotency-key": Type.String({
    pattern: "^[!-~]{1,255}$",
    description: "Repeating a request with the same key returns the same response.",
  }),
} as const;

export const Id = Type.String({ format: "uuid" });
export const Moment = Type.String({ format: "date-time", description: "A time in RFC 3339." });

/** Who stopped something that can go on again, as it is shown. */
export const SuspensionResponse = Type.Object(
  {
    right: oneOf(SUSPENSION_RIGHTS, "As its owner, or above them: then only an administrator lets it go on."),
    by: orNull(Type.String({ description: "E-mail address; null for the command line." })),
    at: orNull(Type.String({ format: "date-time" })),
  },
  { $id: "Halt", description: "The user who suspended or disabled it, and the role." },
);
export type SuspensionResponse = Static<typeof SuspensionResponse>;

export const suspensionResponse = (
  { right, by, at }: Suspension,
  emailOf: (userId: string) => string,
): SuspensionResponse => ({
  right,
  by: by === null ? null : emailOf(by),
  at: at === null ? null : new Date(at).toISOString(),
});
