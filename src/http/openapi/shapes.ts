import { type Static, type TSchema, Type } from "#core/schema";

export const orNull = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

export const oneOf = <const T extends readonly string[]>(values: T, description?: string) =>
  Type.Union(
    values.map((value) => Type.Literal<T[number]>(value)),
    description === undefined ? {} : { description },
  );

/** What presenters give is not changed by anybody. */
export const listOf = <T extends TSchema>(schema: T) => Type.Unsafe<readonly Static<T>[]>(Type.Array(schema));

/** One page of a list, as `pageOf` makes it. */
export const pageSchema = <T extends TSchema>(schema: T) =>
  Type.Object({
    object: Type.Literal("list"),
    data: listOf(schema),
    has_more: Type.Boolean(),
    next_cursor: orNull(Type.String({ description: "Goes into cursor for the next page." })),
  });

/** What every list takes. */
export const PAGE_QUERY = {
  limit: Type.Integer({ minimum: 1, maximum: 200, default: 50, description: "How many at most." }),
  cursor: Type.String({ format: "uuid", description: "next_cursor of the page before." }),
} as const;

/** What a change by gateway token may carry, to be done once. */
export const IDEMPOTENCY = {
  "idempotency-key": Type.String({ pattern: "^[!-~]{1,255}$", description: "The same answer for the same key." }),
} as const;

export const Id = Type.String({ format: "uuid" });
export const Moment = Type.String({ format: "date-time", description: "A time as RFC 3339 has it." });
