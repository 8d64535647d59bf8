import { paced } from "#store/repositories/batches";
import type { Connection } from "./connection";

/** What long upkeep needs of a connection. */
export type Upkept = Pick<Connection, "writeSoon" | "isStopping">;

/** `some` deals with so many rows at most and says whether there may be more. Ends early when the process is to end. */
export const inSlices = (connection: Upkept, some: (atMost: number) => boolean): Promise<void> =>
  paced(upkeepOf(connection), (rows) =>
    connection.writeSoon<{ readonly isMore: boolean; readonly took: number }>(() => {
      const begun = performance.now();
      const isMore = some(rows);
      return { isMore, took: performance.now() - begun };
    }),
  );

const upkeepOf = (connection: Upkept) => ({
  blocks: true,
  get isStopping() {
    return connection.isStopping;
  },
});

/** The same where `some` says with how many rows it did. Returns the sum. */
export const inBatches = async (connection: Upkept, some: (atMost: number) => number): Promise<number> => {
  let total = 0;
  await inSlices(connection, (atMost) => {
    const count = some(atMost);
    total += count;
    return count >= atMost;
  });
  return total;
};
