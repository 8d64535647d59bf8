import { isRecord } from "#core/json/json";
import { type TSchema, Type } from "#core/schema";
import { withoutNull } from "#core/shape-check";

/*
 * TOML has no null. In a file what is null is left out; what is left out, and may be null, is null again when it is read.
 */

const isObject = (schema: TSchema): boolean => schema["type"] === "object" && isRecord(schema["properties"]);
const isSchema = (value: unknown): value is TSchema => isRecord(value);

const propertiesOf = (schema: TSchema): (readonly [string, TSchema])[] =>
  Object.entries(Object(schema["properties"])).flatMap(([name, property]) =>
    isSchema(property) ? [[name, property] as const] : [],
  );

const isNeeded = (schema: TSchema, name: string): boolean =>
  Array.isArray(schema["required"]) && schema["required"].includes(name);

/** The schema of the same thing in a file. Objects take no other names than those they have. */
export const fileFormOf = (schema: TSchema): TSchema => {
  if (isObject(schema)) {
    const properties = propertiesOf(schema).map(([name, property]) => {
      const form = fileFormOf(withoutNull(property));
      const isLeftOut = withoutNull(property) !== property || !isNeeded(schema, name);
      return [name, isLeftOut ? Type.Optional(form) : form] as const;
    });
    return Type.Object(Object.fromEntries(properties), { additionalProperties: false });
  }
  const { items } = schema;
  if (schema["type"] !== "array" || !isSchema(items)) return schema;
  return { ...schema, items: fileFormOf(items) };
};

/** Without what is null, at any depth. */
export const withoutNulls = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isRecord(value)) return value;
  const said = Object.entries(value).filter(([, one]) => one !== null && one !== undefined);
  return Object.fromEntries(said.map(([name, one]) => [name, withoutNulls(one)]));
};

/** With null where the schema asks for something, takes null, and has nothing. */
export const withNulls = (schema: TSchema, value: unknown): unknown => {
  if (!isObject(schema) || !isRecord(value)) return value;
  const known = propertiesOf(schema).flatMap(([name, property]) => {
    if (Object.hasOwn(value, name)) return [[name, withNulls(withoutNull(property), value[name])] as const];
    return isNeeded(schema, name) && withoutNull(property) !== property ? [[name, null] as const] : [];
  });
  return { ...value, ...Object.fromEntries(known) };
};
