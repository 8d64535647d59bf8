import type { Config } from "#config/schema";
import { type DataDirectory, DataDirectoryLocked, isLocked, type Lock, lockForServing } from "#platform/data-directory";
import type { Log } from "#platform/log";

const AGAIN_MS = 200;
/** What workers may take to stop beyond their grace. Milliseconds. */
const STOPPING_MS = 15_000;

/**
 * Takes the directory. Waits for workers whose own parent was killed: they stop by themselves. Throws
 * `DataDirectoryLocked` where they do not, and at once where another process has the directory.
 */
export const lockWhenLeft = async (
  directory: DataDirectory,
  { shutdown_grace_ms }: Pick<Config, "shutdown_grace_ms">,
  log: Log,
): Promise<Lock> => {
  const until = performance.now() + shutdown_grace_ms + STOPPING_MS;
  let hasSaid = false;
  for (;;) {
    try {
      return lockForServing(directory);
    } catch (error) {
      const isLeft = error instanceof DataDirectoryLocked && !isLocked(directory);
      if (!isLeft || performance.now() > until) throw error;
    }
    if (!hasSaid) log.warn("workers.left", { data_dir: directory.path });
    hasSaid = true;
    await Bun.sleep(AGAIN_MS);
  }
};
