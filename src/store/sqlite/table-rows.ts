import { Database } from "bun:sqlite";

export type TableRow = Readonly<Record<string, string | number | null>>;

/** The rows of a database that nobody writes to, for one that copies them elsewhere. */
export class TableRows implements Disposable {
  readonly #db: Database;

  constructor(file: string) {
    this.#db = new Database(file, { readonly: true });
  }

  has(table: string): boolean {
    return this.#db.query("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?").get(table) !== null;
  }

  columns(table: string): string[] {
    const text = "SELECT name FROM pragma_table_info(?)";
    return this.#db
      .query<{ name: string }, [string]>(text)
      .all(table)
      .map(({ name }) => name);
  }

  /** In the order they were stored. */
  rows(table: string): Iterable<TableRow> {
    return this.#db.query<TableRow, []>(`SELECT * FROM "${table.replaceAll('"', "")}"`).iterate();
  }

  [Symbol.dispose](): void {
    this.#db.close();
  }
}
