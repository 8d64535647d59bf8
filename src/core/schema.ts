/** The one door to TypeBox: the rest of the domain does not know which schema library it is. */
export { type Static, type TSchema, Type } from "@sinclair/typebox";
export { TypeCompiler } from "@sinclair/typebox/compiler";
export { Value } from "@sinclair/typebox/value";
