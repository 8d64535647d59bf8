import { closeSync, fdatasyncSync, mkdtempSync, openSync, rmSync, statfsSync, writeSync } from "node:fs";
import { cpus, loadavg, release, totalmem, type } from "node:os";
import { join } from "node:path";
import { spread } from "./stats.ts";

/** What the figures were measured on. */
export type Machine = {
  readonly cpu: string;
  readonly cores: number;
  readonly memoryBytes: number;
  readonly kernel: string;
  readonly bun: string;
  readonly fileSystem: string;
  /** 4 KiB appended and fdatasync'ed in the data directory, milliseconds. */
  readonly fsyncP50: number;
  readonly fsyncP99: number;
  readonly loadBefore: number;
};

const FSYNCS = 200;

/** statfs(2) magic numbers of file systems one is likely to meet. */
const FILE_SYSTEMS = new Map([
  [0xef53, "ext4"],
  [0x01021994, "tmpfs, where fsync costs nothing"],
  [0x58465342, "xfs"],
  [0x9123683e, "btrfs"],
  [0x794c7630, "overlayfs"],
  [0x2fc12fc1, "zfs"],
]);

export function describeMachine(dataDir: string): Machine {
  const all = cpus();
  const { type: magic } = statfsSync(dataDir);
  const fsync = spread(fsyncs(dataDir));
  return {
    cpu: all[0]?.model ?? "unknown",
    cores: all.length,
    memoryBytes: totalmem(),
    kernel: `${type()} ${release()}`,
    bun: Bun.version,
    fileSystem: FILE_SYSTEMS.get(magic) ?? `type 0x${magic.toString(16)}`,
    fsyncP50: fsync.p50,
    fsyncP99: fsync.p99,
    loadBefore: loadavg()[0] ?? 0,
  };
}

export function machineText(machine: Machine): string {
  const memory = (machine.memoryBytes / 2 ** 30).toFixed(1);
  return [
    `${machine.cpu}, ${machine.cores} cores, ${memory} GiB, ${machine.kernel}, Bun ${machine.bun}`,
    `data on ${machine.fileSystem}: fdatasync p50 ${machine.fsyncP50.toFixed(2)} ms, p99 ` +
      `${machine.fsyncP99.toFixed(2)} ms; load average before the run ${machine.loadBefore.toFixed(2)}`,
  ].join("\n");
}

function fsyncs(within: string): number[] {
  const directory = mkdtempSync(join(within, "guardhouse-bench-"));
  const file = openSync(join(directory, "fsync"), "w");
  const block = new Uint8Array(4096).fill(1);
  try {
    return Array.from({ length: FSYNCS }, () => {
      writeSync(file, block);
      const began = performance.now();
      fdatasyncSync(file);
      return performance.now() - began;
    });
  } finally {
    closeSync(file);
    rmSync(directory, { recursive: true });
  }
}
