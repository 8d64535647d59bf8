import { DataDirectoryLocked } from "#platform/data-directory";
import type { BackupKeys, BackupReport, MadeBackup } from "#store/backup-port";
import { NewerDatabase } from "#store/newer-database";
import { type BackupOrder, NoRoomForBackup } from "./backup-make";

/** What the thread is asked for, once in its life. */
export type BackupThreadTask =
  | { readonly kind: "make"; readonly dataDir: string; readonly order: BackupOrder }
  | { readonly kind: "verify"; readonly file: string; readonly keys: BackupKeys };

/** Errors lose their class on the way between threads. */
export type BackupAnswer =
  | { readonly done: MadeBackup | BackupReport }
  | { readonly error: string; readonly name: string; readonly versions: readonly [number, number] | null };

type Results = { readonly make: MadeBackup; readonly verify: BackupReport };

/** The compiled executable lays its entrypoints out from `src/`; the source tree has them where they are. */
const startThread = (): Worker => {
  const compiled = import.meta.url.includes("/$bunfs/") || import.meta.url.includes("/~BUN/");
  const entry = compiled ? "./store/sqlite/backup-worker.js" : "./backup-worker.ts";
  // A hub that stops does not wait for it: what is left behind is cleared out by the next one.
  return new Worker(new URL(entry, import.meta.url), { name: "backup", ref: false });
};

/** Copying and checking take long and never wait: in a thread of their own they hold up no call. */
export const inThread = <Task extends BackupThreadTask>(task: Task): Promise<Results[Task["kind"]]> =>
  new Promise((resolve, reject) => {
    const worker = startThread();
    const ended = (error: Error) => {
      worker.terminate();
      reject(error);
    };
    worker.onmessage = ({ data }: MessageEvent<string>) => {
      const answer: { done: Results[Task["kind"]] } | Extract<BackupAnswer, { error: string }> = JSON.parse(data);
      if ("error" in answer) return ended(errorOf(answer));
      worker.terminate();
      return resolve(answer.done);
    };
    worker.onerror = ({ message }) => ended(new Error(message));
    worker.postMessage(JSON.stringify(task));
  });

const errorOf = ({ error, name, versions }: Extract<BackupAnswer, { error: string }>): Error => {
  if (versions !== null) return new NewerDatabase(...versions);
  if (name === "NoRoomForBackup") return new NoRoomForBackup(error);
  return name === "DataDirectoryLocked" ? new DataDirectoryLocked(error) : new Error(error);
};
