/** The only import of TypeBox: the rest of the domain does not know which schema library it is. */
export { type Static, type TSchema, Type } from "@sinclair/typebox";
export { TypeCompiler } from "@sinclair/typebox/compiler";
export { Value } from "@sinclair/typebox/value";

/** The option of a schema with constraints that a service checks, with a better message than the schema has. */
export const CHECKED_LATER = "x-checked-later";

/** Constraints for the document alone: what does not meet them passes the schema, and is refused behind it. */
export const checkedLater = (constraints: Readonly<Record<string, unknown>>) => ({ [CHECKED_LATER]: constraints });
