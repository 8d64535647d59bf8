import { writeSync } from "node:fs";
import { openSqliteStore } from "#store/sqlite/index";
import { ReviewerWorld } from "#test/features/report-review/reviewer-world";

/* `review.ts DIR URL`: takes up what is queued, and says so; killed while it waits for the reviewer's answer. */
const [dataDir = "", url = ""] = process.argv.slice(2);
const store = await openSqliteStore({ dataDir, durability: "normal", writer: "inline" });
const world = new ReviewerWorld(store, { url, worker: "killed", timeoutMs: 60_000 });
const work = world.jobs.tick();
writeSync(1, "begun\n");
await work;
