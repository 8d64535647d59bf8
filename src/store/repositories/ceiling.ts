import { sql } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import { anyRow, type Steps } from "#store/db";
import type { Tables } from "#store/tables";

/** How many rows are added between two looks at how many there are: to count them takes longer than to add one. */
const LOOK_EVERY = 32;

/** How many rows there may be of what others cause there to be. Each process may pass it by those between two looks. */
export class Ceiling {
  /** Rows to take away when it was passed: more than were added since the last look. */
  readonly excess = 2 * LOOK_EVERY;
  #added = 0;

  constructor(
    private readonly of: (tables: Tables) => SQLiteTable,
    private readonly most: number,
  ) {}

  /** To be asked once for each row that is added. */
  *isPassed(): Steps<boolean> {
    this.#added++;
    if (this.#added < LOOK_EVERY) return false;
    this.#added = 0;
    const { of, most } = this;
    return yield* anyRow((q, tables) => q.select({ one: sql`1` }).from(of(tables)).limit(1).offset(most));
  }
}
