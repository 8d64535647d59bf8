import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSqliteStore, type SqliteStore, type SqliteStoreOptions } from "#store/sqlite/index";

/** A directory for one test; `await using` takes its stores and files away at the end. */
export class Place implements AsyncDisposable {
  readonly path = mkdtempSync(join(tmpdir(), "guardhouse-store-"));
  readonly #opened: SqliteStore[] = [];

  async open(options: Partial<SqliteStoreOptions> = {}): Promise<SqliteStore> {
    const store = await openSqliteStore({ dataDir: this.path, durability: "normal", writer: "inline", ...options });
    this.#opened.push(store);
    return store;
  }

  get database(): string {
    return join(this.path, "guardhouse.db");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = await Promise.allSettled(this.#opened.map((store) => store.close()));
    rmSync(this.path, { recursive: true, force: true });
    for (const outcome of closed) if (outcome.status === "rejected" && !this.broken) throw outcome.reason;
  }

  /** Set by tests that leave a store which cannot close cleanly. */
  broken = false;
}
