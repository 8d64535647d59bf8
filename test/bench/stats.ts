/** The value below which the given part (0 to 1) of an ascending list lies. NaN for an empty list. */
export function quantile(ascending: ArrayLike<number>, part: number): number {
  return ascending[Math.min(ascending.length - 1, Math.floor(ascending.length * part))] ?? Number.NaN;
}

/** NaN for an empty list. */
export function median(values: readonly number[]): number {
  const ascending = values.toSorted((a, b) => a - b);
  const middle = ascending.length >> 1;
  const upper = ascending[middle] ?? Number.NaN;
  return ascending.length % 2 === 1 ? upper : ((ascending[middle - 1] ?? Number.NaN) + upper) / 2;
}

export type Spread = { readonly p50: number; readonly p90: number; readonly p99: number };

export function spread(values: readonly number[]): Spread {
  const ascending = Float64Array.from(values).sort();
  return { p50: quantile(ascending, 0.5), p90: quantile(ascending, 0.9), p99: quantile(ascending, 0.99) };
}
