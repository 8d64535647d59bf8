import { openDataDirectory } from "#platform/data-directory";
import type { BackupReport, MadeBackup } from "#store/backup-port";
import { NewerDatabase } from "#store/newer-database";
import { makeBackup } from "./backup-make";
import type { BackupAnswer, BackupThreadTask } from "./backup-thread";
import { verifyBackup } from "./backup-verify";

/* The entry of the thread that makes or checks one backup, an entrypoint of its own in the executable. */

declare const self: Worker;

const run = (task: BackupThreadTask): MadeBackup | Promise<BackupReport> =>
  task.kind === "make" ? makeBackup(openDataDirectory(task.dataDir), task.order) : verifyBackup(task.file, task.keys);

const answerTo = async (task: BackupThreadTask): Promise<BackupAnswer> => {
  try {
    return { done: await run(task) };
  } catch (error) {
    const { name, message } = error instanceof Error ? error : new Error("unexpected failure");
    return { error: message, name, versions: error instanceof NewerDatabase ? [error.found, error.known] : null };
  }
};

self.onmessage = async ({ data }: MessageEvent<string>) => {
  postMessage(JSON.stringify(await answerTo(JSON.parse(data))));
};
