import type { Queries } from "./db";
import type { Tables } from "./tables";

/** What the identity library asks through. */
export type AuthDatabase = {
  readonly queries: Queries;
  readonly tables: Tables["auth"];
  /** What is to be thrown in place of an error of the library, which tells little of why a statement failed. */
  readonly told: (error: unknown) => Promise<unknown>;
};
