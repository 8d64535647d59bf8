import type { TableRow } from "#store/sqlite/table-rows";
import { storable } from "./columns";
import { UnfitDatabase } from "./errors";
import { migrate } from "./migrate";
import { MIGRATIONS } from "./migrations/index";
import { Pool, type PoolOptions } from "./pool";

/** What is copied from. */
export type TableSource = {
  has(table: string): boolean;
  columns(table: string): string[];
  rows(table: string): Iterable<TableRow>;
};

/** Not of the configuration: about this database, or about processes that serve. */
const NOT_COPIED = new Set([
  ...["schema_version", "installation", "chain", "governance_record", "sealed_fence", "copied"],
  ...["node", "lease", "hub_process", "containment", "provider_breaker", "limit_open", "outbox_told", "pace"],
  ...["conversation", "conversation_said", "tally", "node_figures"],
]);
/** Rows, and characters, of one statement. */
const MAX_ROWS = 500;
const MAX_CHARACTERS = 4_194_304;

type Column = { readonly name: string; readonly type: string };
type Constraint = { readonly table: string; readonly name: string; readonly definition: string };
type Sql = Pick<Bun.SQL, "unsafe">;
type OnRows = (rows: number) => void;

export type Copy = {
  readonly options: PoolOptions;
  readonly source: TableSource;
  /** Names what is copied: the end of the directory's log. */
  readonly name: string;
  /** Told again and again how many rows were copied. */
  readonly onRows?: (rows: number) => void;
};

type Begun = { readonly source: string; readonly tables: string; readonly finished_at: unknown };

/**
 * All of it or nothing; returns the rows of each table. Of a copy that was broken off after that the rows that it had
 * copied. Throws `UnfitDatabase` for a database in which there is something else already.
 */
export const copyInto = ({ options, source, name, onRows = () => {} }: Copy): Promise<Record<string, number>> =>
  withPool(options, (pool) =>
    pool.transaction("", async ({ sql }) => {
      const [begun] = await sql.unsafe<Begun[]>("SELECT source, tables, finished_at FROM copied");
      if (begun?.source === name && begun.finished_at === null) return JSON.parse(begun.tables);
      const tables = await copied(sql, source, onRows);
      await sql.unsafe("INSERT INTO copied VALUES (true, $1, $2, NULL)", [name, JSON.stringify(tables)]);
      return tables;
    }),
  );

/** Whether a copy of that name is in the database and was broken off before all was done. */
export const isUnfinished = (options: PoolOptions, name: string): Promise<boolean> =>
  withPool(options, async (pool) => {
    const text = "SELECT 1 FROM copied WHERE source = $1 AND finished_at IS NULL";
    return (await pool.plain((sql) => sql.unsafe(text, [name]))).length > 0;
  });

/** From now on the database is in use. Moment in Unix milliseconds. */
export const finishCopy = (options: PoolOptions, at: number): Promise<void> =>
  withPool(options, async (pool) => {
    await pool.plain((sql) => sql.unsafe("UPDATE copied SET finished_at = $1", [at]));
  });

const withPool = async <T>(options: PoolOptions, work: (pool: Pool) => Promise<T>): Promise<T> => {
  const pool = new Pool({ ...options, deadlineMs: 3_600_000 });
  try {
    await migrate(pool, MIGRATIONS);
    return await work(pool);
  } finally {
    await pool.close();
  }
};

const copied = async (sql: Sql, source: TableSource, onRows: OnRows): Promise<Record<string, number>> => {
  await sql.unsafe("SET LOCAL statement_timeout = 0");
  const [begun] = await sql.unsafe<{ value: unknown }[]>("SELECT value FROM revision WHERE subject = 'all' FOR UPDATE");
  if (Number(begun?.value ?? 0) !== 0) throw new UnfitDatabase("The database holds a configuration already");
  const tables = await sql.unsafe<{ name: string }[]>(
    "SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema() ORDER BY tablename",
  );
  // What rows refer to may be copied after them: checked when all is there.
  const constraints = await sql.unsafe<Constraint[]>(`SELECT conrelid::regclass::text AS "table", conname AS name,
    pg_get_constraintdef(oid) AS definition FROM pg_constraint
    WHERE contype = 'f' AND connamespace = current_schema()::regnamespace AND conparentid = 0`);
  for (const { table, name } of constraints) await sql.unsafe(`ALTER TABLE ${table} DROP CONSTRAINT "${name}"`);
  await sql.unsafe("DELETE FROM revision");
  const counts: Record<string, number> = {};
  let before = 0;
  for (const { name } of tables) {
    if (NOT_COPIED.has(name) || !source.has(name)) continue;
    const count = await copiedTable(sql, source, { table: name, onRows: (rows) => onRows(before + rows) });
    counts[name] = count;
    before += count;
  }
  for (const { table, name, definition } of constraints) {
    await sql.unsafe(`ALTER TABLE ${table} ADD CONSTRAINT "${name}" ${definition}`);
  }
  // Numbers of the directory's log: the chain of changes here begins anew, and must not meet them.
  await sql.unsafe("UPDATE outbox SET seq = seq - 1 - (SELECT max(seq) FROM outbox)");
  await sql.unsafe(
    "SELECT setval(pg_get_serial_sequence('key_rotation', 'id'), greatest(1, (SELECT max(id) FROM key_rotation)))",
  );
  return counts;
};

const copiedTable = async (
  sql: Sql,
  source: TableSource,
  { table, onRows }: { readonly table: string; readonly onRows: OnRows },
): Promise<number> => {
  const known = new Set(source.columns(table));
  const all = await sql.unsafe<Column[]>(
    `SELECT column_name AS name, data_type AS type FROM information_schema.columns
     WHERE table_schema = current_schema() AND table_name = $1 ORDER BY ordinal_position`,
    [table],
  );
  const columns = all.filter(({ name }) => known.has(name));
  const names = columns.map(({ name }) => `"${name}"`).join(", ");
  const typed = columns.map(({ name, type }) => `"${name}" ${type}`).join(", ");
  const text = `INSERT INTO "${table}" (${names}) SELECT ${names} FROM json_to_recordset(($1::text)::json) AS it(${typed})`;
  const flags = new Set(columns.filter(({ type }) => type === "boolean").map(({ name }) => name));
  let [some, characters, count]: [string[], number, number] = [[], 0, 0];
  const write = async () => {
    if (some.length > 0) await sql.unsafe(text, [`[${some.join(",")}]`]);
    [some, characters] = [[], 0];
    onRows(count);
  };
  for (const row of source.rows(table)) {
    const entries = columns.map(({ name }) => [name, storedOf(row[name] ?? null, flags.has(name))] as const);
    const line = JSON.stringify(Object.fromEntries(entries));
    some.push(line);
    characters += line.length;
    count += 1;
    if (some.length >= MAX_ROWS || characters >= MAX_CHARACTERS) await write();
  }
  await write();
  const [there] = await sql.unsafe<{ rows: unknown }[]>(`SELECT count(*) AS rows FROM "${table}"`);
  if (Number(there?.rows) !== count) throw new UnfitDatabase(`Not all rows of ${table} were taken in`);
  return count;
};

const storedOf = (value: string | number | null, isFlag: boolean): string | number | boolean | null => {
  if (typeof value === "string") return storable(value);
  return isFlag && value !== null ? value !== 0 : value;
};
