/** A list of strings as it was read from a JSON column; `what` names it for the operator. */
export const strings = (value: unknown, what: string): string[] => {
  if (Array.isArray(value) && value.every((item) => typeof item === "string")) return value;
  throw new Error(`The stored ${what} are not a list of strings`);
};
