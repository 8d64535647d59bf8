import type { JsonRecord } from "#core/json/json";

/** A value in a JSON document, by what holds it. */
export type Held = { readonly holder: JsonRecord | unknown[]; readonly key: string | number };

export const valueAt = ({ holder, key }: Held): unknown => (Array.isArray(holder) ? holder[Number(key)] : holder[key]);

export const putValue = ({ holder, key }: Held, value: unknown): void => {
  if (Array.isArray(holder)) holder[Number(key)] = value;
  else holder[key] = value;
};
