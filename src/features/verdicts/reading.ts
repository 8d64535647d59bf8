import { isRecord, type JsonRecord } from "#core/json/json";

/** A list of a body; an empty one where there is none. */
export const listAt = (body: JsonRecord, key: string): unknown[] => {
  const list = body[key];
  return Array.isArray(list) ? list : [];
};

/** A text of a body; an empty one where there is none. */
export const textAt = (body: JsonRecord, key: string): string => {
  const text = body[key];
  return typeof text === "string" ? text : "";
};

/** An object of a body; an empty one where there is none. */
export const recordAt = (body: JsonRecord, key: string): JsonRecord => {
  const record = body[key];
  return isRecord(record) ? record : {};
};
