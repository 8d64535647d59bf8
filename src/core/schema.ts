import { type Static, type TSchema, Type } from "@sinclair/typebox";
import { TypeCompiler } from "@sinclair/typebox/compiler";
import { Value } from "@sinclair/typebox/value";

/** The only import of TypeBox: the rest of the domain does not know which schema library it is. */
export { type Static, type TSchema, Type, TypeCompiler, Value };

/** The option of a schema with constraints that a service checks, with a better message than the schema has. */
export const CHECKED_LATER = "x-checked-later";

/** Constraints for the document alone: what does not meet them passes the schema, and is refused behind it. */
export const checkedLater = (constraints: Readonly<Record<string, unknown>>) => ({ [CHECKED_LATER]: constraints });

type Compiled<T extends TSchema> = ReturnType<typeof TypeCompiler.Compile<T>>;

/**
 * What a value must look like. Compiled when the first value is looked at: a hub has about a hundred shapes, and one
 * that was just started, or a command that does one thing, needs few of them.
 */
export class Shape<T extends TSchema> {
  #compiled: Compiled<T> | null = null;

  constructor(private readonly schema: T) {}

  fits(value: unknown): value is Static<T> {
    return this.#check().Check(value);
  }

  /** What is wrong with a value, place by place, as it is looked for. */
  faults(value: unknown): ReturnType<Compiled<T>["Errors"]> {
    return this.#check().Errors(value);
  }

  #check(): Compiled<T> {
    this.#compiled ??= TypeCompiler.Compile(this.schema);
    return this.#compiled;
  }
}
