import { DrizzleQueryError } from "drizzle-orm";
import type { AuthDatabase } from "#store/auth-port";
import type { Queries } from "#store/db";
import { told } from "./errors";
import type { Pool } from "./pool";
import { tables } from "./schema";

type Method = "select" | "insert" | "update" | "delete";

/** The pool's connections may be replaced, so each statement of the identity library takes the builder of the moment. */
export const authOf = (pool: Pool): AuthDatabase => {
  const call =
    (method: Method) =>
    (...args: unknown[]): unknown =>
      Reflect.apply(pool.queries[method], pool.queries, args);
  const queries = { select: call("select"), insert: call("insert"), update: call("update"), delete: call("delete") };
  return {
    queries: typed(queries),
    tables: tables.auth,
    told: async (error) => {
      try {
        await pool.plain((sql) => sql.unsafe("SELECT 1"));
      } catch (fault) {
        return told(fault);
      }
      // What drizzle makes of an error quotes the values of the statement.
      return error instanceof DrizzleQueryError ? error.cause : error;
    },
  };
};

const typed = (it: unknown): Queries => it as Queries;
