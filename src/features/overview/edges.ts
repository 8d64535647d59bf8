import type { TrafficBucket } from "#store/call-index-port";

/*
 * Days of the viewer's clock from counters of days in UTC: what lies between two edges is the days between, with the hours
 * from the nearer midnight to each edge. Of a quarter of a year in Berlin that is 90 days and 180 hours, and not 2,160 hours.
 */

const HOUR = 3_600_000;
const DAY = 86_400_000;

type Counts = ReadonlyMap<string, number>;

/** The midnight nearest to an edge, UTC, and the hours between. */
const nearestMidnight = (edge: number): { readonly midnight: number; readonly hours: readonly number[] } => {
  const before = edge - (((edge % DAY) + DAY) % DAY);
  const midnight = edge - before <= DAY / 2 ? before : before + DAY;
  const [from, to] = [Math.min(edge, midnight), Math.max(edge, midnight)];
  return { midnight, hours: Array.from({ length: (to - from) / HOUR }, (_, n) => from + n * HOUR) };
};

/** What has to be read for buckets between edges at full hours. */
export const readAtEdges = (edges: readonly number[]) => {
  const near = edges.map(nearestMidnight);
  return {
    days: { since: near[0]?.midnight ?? 0, until: near.at(-1)?.midnight ?? 0 },
    hours: [...new Set(near.flatMap(({ hours }) => hours))],
  };
};

const byMoment = (buckets: readonly TrafficBucket[]): ReadonlyMap<number, readonly Counts[]> => {
  const found = new Map<number, Counts[]>();
  for (const { at, counts } of buckets) {
    const there = found.get(at);
    if (there) there.push(counts);
    else found.set(at, [counts]);
  }
  return found;
};

const add = (sum: Map<string, number>, of: readonly Counts[] | undefined, sign: number): void => {
  for (const counts of of ?? []) {
    for (const [name, by] of counts) sum.set(name, (sum.get(name) ?? 0) + sign * by);
  }
};

/** Counters of days and of some hours, by the bucket between two edges that they lie in. Never less than nothing. */
export const bucketedAtEdges = (
  days: readonly TrafficBucket[],
  hours: readonly TrafficBucket[],
  edges: readonly number[],
): Map<string, number>[] => {
  const [byDay, byHour] = [byMoment(days), byMoment(hours)];
  /** What lies between the nearest midnight and an edge, counted to the side of the edge that is behind it. */
  const addHours = (sum: Map<string, number>, edge: number, sign: number): number => {
    const near = nearestMidnight(edge);
    for (const hour of near.hours) add(sum, byHour.get(hour), edge > near.midnight ? sign : -sign);
    return near.midnight;
  };
  return edges.slice(1).map((edge, at) => {
    const sum = new Map<string, number>();
    const begin = addHours(sum, edges[at] ?? 0, -1);
    const end = addHours(sum, edge, 1);
    for (let day = begin; day < end; day += DAY) add(sum, byDay.get(day), 1);
    // Of days whose records are gone there may be hours left that their day lacks.
    for (const [name, by] of sum) if (by <= 0) sum.delete(name);
    return sum;
  });
};
