import { writeSync } from "node:fs";
import { lockForServing, openDataDirectory } from "#platform/data-directory";

/* Takes the lock of the directory given and keeps it until killed. */
lockForServing(openDataDirectory(process.argv[2] ?? ""));
// A lock its holder forgot must hold all the same.
Bun.gc(true);
writeSync(1, "locked\n");
setInterval(() => undefined, 1_000);
