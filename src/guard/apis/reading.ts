import type { JsonRecord } from "#core/json/json";

/** A string of a body; an empty one where there is none. */
export const stringAt = (body: JsonRecord, key: string): string => {
  const value = body[key];
  return typeof value === "string" ? value : "";
};

/** What functions and custom tools are given. */
export const TOOL_INPUT = /\.(?:arguments|input)(?:[.[]|$)/;
