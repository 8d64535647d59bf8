import { isRecord, type JsonRecord } from "#core/json/json";

/** `_meta` of a request's parameters, or of a result. */
export const metaOf = (params: unknown): JsonRecord | null => {
  const meta = isRecord(params) ? params["_meta"] : undefined;
  return isRecord(meta) ? meta : null;
};
