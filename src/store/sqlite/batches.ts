import type { Connection } from "./connection";

const AT_ONCE = 500;

/**
 * What has had its time can be much: so many rows are dealt with at a time, and calls go on between. `some` deals with
 * that many at most and says with how many it did.
 */
export const inBatches = async (connection: Connection, some: (atMost: number) => number): Promise<number> => {
  let total = 0;
  for (;;) {
    const count = await connection.writeSoon<number>(() => some(AT_ONCE));
    total += count;
    if (count < AT_ONCE) return total;
    await Bun.sleep(0);
  }
};
