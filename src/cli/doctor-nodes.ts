import type { Config } from "#config/schema";
import type { Node, NodeStore } from "#store/node-port";
import { type Check, ok, warn } from "./check";

type Looked = {
  readonly nodes: Pick<NodeStore, "list"> & { readonly here: Pick<NodeStore, "list"> };
  /** Whether a hub serves from the data directory. */
  readonly isServed: boolean;
  readonly config: Pick<Config, "server">;
};

const isLive = ({ state }: Node): boolean => state === "live";

/** The processes that serve: those of this data directory, and of the other hubs that share its database. */
export const nodeCheck = async ({ nodes, isServed, config }: Looked): Promise<Check> => {
  const all = await nodes.list();
  const live = all.filter(isLive);
  const own = (await nodes.here.list()).filter(isLive).length;
  const wanted = isServed ? config.server.workers : 0;
  const finding = `${live.length} live, ${own} of this hub`;
  const versions = [...new Set(live.map(({ version }) => version))].sort();
  if (own < wanted)
    return warn(
      "nodes",
      `${finding} (server.workers is ${wanted})`,
      "see worker.ended and worker.hangs in the hub's log",
    );
  if (versions.length > 1)
    return warn("nodes", `${finding}, of versions ${versions.join(" and ")}`, "finish the upgrade of every hub");
  return ok("nodes", finding);
};

/** Of all hubs. */
export const liveNodes = async (nodes: Pick<NodeStore, "list">): Promise<number> =>
  (await nodes.list()).filter(isLive).length;
