/** A thread that keeps a database open, as the hub's writer of the audit log does. */
import { Database } from "bun:sqlite";

const database = new Database(":memory:");
database.run("CREATE TABLE kept (value TEXT) STRICT");
self.addEventListener("message", () => database.run("INSERT INTO kept VALUES ('')"));
postMessage("open");
