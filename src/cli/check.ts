/** One thing looked at, and what to do about it. */
export type Check = {
  readonly name: string;
  readonly state: "ok" | "warn" | "fail";
  readonly finding: string;
  /** What to do about it; null when there is nothing to do. */
  readonly advice: string | null;
};

export const ok = (name: string, finding: string): Check => ({ name, state: "ok", finding, advice: null });
export const warn = (name: string, finding: string, advice: string): Check => ({
  name,
  state: "warn",
  finding,
  advice,
});
export const fail = (name: string, finding: string, advice: string): Check => ({
  name,
  state: "fail",
  finding,
  advice,
});
