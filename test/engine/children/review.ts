import { writeSync } from "node:fs";
import { openSqliteStore } from "#store/sqlite/index";
import { ReviewRoom } from "#test/engine/review-room";

/* `review.ts DIR URL`: takes up what is queued, and says so; killed while it waits for the reviewer's answer. */
const [dataDir = "", url = ""] = process.argv.slice(2);
const store = await openSqliteStore({ dataDir, durability: "normal", writer: "inline" });
const room = new ReviewRoom(store, { url, worker: "killed", timeoutMs: 60_000 });
const work = room.jobs.tick();
writeSync(1, "begun\n");
await work;
