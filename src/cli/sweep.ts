import { allChildren, type DataDirectory } from "#platform/data-directory";
import type { Log } from "#platform/log";
import { sweepOrphans } from "#upstream/mcp/stdio-orphans";

/** Ends what processes that served from the directory have left running. For who holds its lock, before anything serves. */
export const sweepDirectory = (directory: DataDirectory, log: Log): void => {
  for (const children of allChildren(directory)) sweepOrphans(children, log);
};
