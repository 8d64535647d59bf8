import { writeSync } from "node:fs";
import { lockForServing, openDataDirectory } from "#platform/data-directory";

/* Takes the lock of the directory given and keeps it until killed. */
lockForServing(openDataDirectory(process.argv[2] ?? ""));
writeSync(1, "locked\n");
setInterval(() => undefined, 1_000);
