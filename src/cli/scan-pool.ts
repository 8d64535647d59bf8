import { availableParallelism } from "node:os";
import type { Config } from "#config/schema";
import { ScanPool, threadsFor } from "#guard/scan-pool/pool";
import type { Log } from "#platform/log";

/** The threads that scan long texts, as configured. None is started before there is one. */
export const scanPoolOf = ({ guard }: Config, log: Log): ScanPool =>
  new ScanPool({
    threads: guard.scan_threads === 0 ? threadsFor(availableParallelism()) : guard.scan_threads,
    limits: {
      units: guard.scan_queue_chars,
      unitsPerCaller: guard.scan_queue_chars_per_token,
      calls: guard.scan_queue_calls,
      callsPerCaller: guard.scan_queue_calls_per_token,
    },
    onFault: ({ reason, units }) => log.error("guard.scan_thread_lost", { reason, units }),
  });
