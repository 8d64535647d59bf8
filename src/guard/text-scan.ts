import { MAX_UNITS_AT_ONCE } from "#guard/long-scan";
import type { ScanPool } from "#guard/scan-pool/pool";
import { slices } from "#platform/slices";
import type { Origin } from "#scan/detector";
import { unpackInSlices } from "#scan/packed-scan";
import type { CompiledPolicy } from "#scan/policy";
import { type Scan, scanText } from "#scan/scan";

/** Scans a text that belongs to no call. A long one comes as a promise, from the scan pool where there is one. */
export type TextScan = (policy: CompiledPolicy, text: string, origin: Origin) => Scan | Promise<Scan>;

/** `caller`: who takes turns with the callers whose texts are long. */
export const textScanOf =
  (pool: ScanPool | null, caller: string): TextScan =>
  (policy, text, origin) =>
    pool === null || text.length <= MAX_UNITS_AT_ONCE
      ? scanText(policy, text, origin)
      : scannedIn(pool, caller, policy, { text, origin });

/** Throws what went wrong in the pool. */
const scannedIn = async (
  pool: ScanPool,
  caller: string,
  policy: CompiledPolicy,
  text: { readonly text: string; readonly origin: Origin },
): Promise<Scan> => {
  const place = pool.enter(caller, text.text.length, { signal: null, isRefusable: false });
  try {
    const [result] = await place.scan(policy, [text]);
    if (result && "scan" in result) return await unpackInSlices(result.scan, slices.begin());
    throw result?.failed ?? new Error("a scan is missing");
  } finally {
    place.leave();
  }
};
