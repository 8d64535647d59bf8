import { readFileSync } from "node:fs";

/**
 * Sends a signal to a process group; 0 only asks. False when there is none, or none that is ours.
 * `process.kill` takes -1 and 0 for all processes and our own group: neither ever gets there.
 */
export const signalGroup = (pgid: number, signal: "SIGTERM" | "SIGKILL" | 0): boolean => {
  if (!isGroup(pgid)) return false;
  try {
    return process.kill(-pgid, signal);
  } catch (error) {
    if (error instanceof Error && "code" in error && (error.code === "ESRCH" || error.code === "EPERM")) return false;
    throw error;
  }
};

export const isGroup = (pgid: unknown): pgid is number => Number.isSafeInteger(pgid) && Number(pgid) > 1;

/**
 * What tells a process from a later one with the same number: when it was started, and in which boot.
 * Null when there is no such process, or no way to know.
 */
export const startOf = (pid: number): string | null => {
  const boot = read("/proc/sys/kernel/random/boot_id");
  return boot === null ? startByPs(pid) : startByProc(pid, boot.trim());
};

/** Field 22 of proc_pid_stat(5), counted after the name, which may hold blanks and brackets itself. */
const startByProc = (pid: number, boot: string): string | null => {
  const stat = read(`/proc/${pid}/stat`);
  const ticks = stat?.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
  return ticks === undefined ? null : `${boot} ${ticks}`;
};

/** macOS. Whole seconds, which is enough: process numbers do not come round within one. */
const startByPs = (pid: number): string | null => {
  try {
    const { stdout, exitCode } = Bun.spawnSync(["/bin/ps", "-o", "lstart=", "-p", String(pid)], {
      env: { LC_ALL: "C", TZ: "UTC" },
    });
    const start = stdout.toString().trim();
    return exitCode === 0 && start !== "" ? start : null;
  } catch {
    // No `ps`: nothing is known, and nothing will be killed for it.
    return null;
  }
};

const read = (path: string): string | null => {
  try {
    return readFileSync(path, "utf8");
  } catch {
    // Gone, or a system without /proc.
    return null;
  }
};
