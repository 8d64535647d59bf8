import { Hub } from "#test/support/hub";
import { residentBytes } from "./cpu.ts";
import { median } from "./stats.ts";

/** From spawning the process to the first 200 of `/readyz`, milliseconds. */
export type Starts = {
  /** On an empty data directory: tables and keys are made. */
  readonly first: number;
  /** On a data directory that is there: the rule. */
  readonly later: readonly number[];
  readonly median: number;
};

export async function measureStarts(times: number, within: string): Promise<Starts> {
  await using hub = await Hub.create({ processes: "all", within });
  const { readyMs: first } = await hub.start();
  const later: number[] = [];
  for (let time = 0; time < times; time += 1) later.push((await hub.restart()).readyMs);
  return { first, later, median: median(later) };
}

/** Memory of a hub that nobody has called yet, some seconds after its start. */
export async function measureIdle(seconds: number, within: string): Promise<number | undefined> {
  await using hub = await Hub.started({ processes: "all", within });
  await Bun.sleep(seconds * 1_000);
  return residentBytes(hub.pid);
}
