import { readdirSync, readFileSync } from "node:fs";

const LINUX = process.platform === "linux";
/** USER_HZ: what the kernel counts CPU time in for user space; 100 on every Linux Bun runs on. */
const TICKS_PER_SECOND = 100;

/** Threads on which JavaScriptCore compiles: their work ends once the code is warm, so it is counted apart. */
const COMPILERS: ReadonlySet<string> = new Set(["JITWorker", "JSCWarmUp"]);

/** CPU microseconds of each compiler thread of a process and its descendants that live, by thread id. Empty off Linux. */
export function compilerMicros(root: number): ReadonlyMap<string, number> {
  const threads = LINUX ? family(root).flatMap(({ pid }) => tasksOf(pid).map((id) => ({ pid, id }))) : [];
  return new Map(
    threads.flatMap(({ pid, id }) => {
      const text = readProc(`/proc/${pid}/task/${id}/stat`) ?? "";
      const name = text.slice(text.indexOf("(") + 1, text.lastIndexOf(")"));
      return COMPILERS.has(name) ? [[id, (ticksIn(text) * 1e6) / TICKS_PER_SECOND] as const] : [];
    }),
  );
}

/** Where CPU of a process goes, in microseconds: by the name of the thread, and what of it is spent in the kernel. */
export type ThreadMicros = { readonly byName: ReadonlyMap<string, number>; readonly kernel: number };

/** Of the threads of a process and its descendants that live, without those that compile. Empty off Linux. */
export function threadMicros(root: number): ThreadMicros {
  const byName = new Map<string, number>();
  let kernel = 0;
  for (const { pid } of LINUX ? family(root) : []) {
    for (const id of tasksOf(pid)) {
      const text = readProc(`/proc/${pid}/task/${id}/stat`) ?? "";
      const name = text.slice(text.indexOf("(") + 1, text.lastIndexOf(")"));
      if (text === "" || COMPILERS.has(name)) continue;
      byName.set(name, (byName.get(name) ?? 0) + (ticksIn(text) * 1e6) / TICKS_PER_SECOND);
      kernel += ((fieldsOf(text)[12] ?? 0) * 1e6) / TICKS_PER_SECOND;
    }
  }
  return { byName, kernel };
}

/** What compiler threads spent between two readings; one that ended in between counts with the other threads. */
export function compiledBetween(before: ReadonlyMap<string, number>, after: ReadonlyMap<string, number>): number {
  let spent = 0;
  for (const [id, micros] of after) spent += micros - (before.get(id) ?? 0);
  return spent;
}

/** CPU microseconds spent so far by a process, all its threads and its descendants. Undefined off Linux. */
export function cpuMicros(pid: number): number | undefined {
  if (!LINUX) return undefined;
  const ticks = family(pid).reduce((sum, { ticks: own }) => sum + own, 0);
  return (ticks * 1e6) / TICKS_PER_SECOND;
}

/** The same of each process that it started and that lives, with what that one started. */
export function childMicros(pid: number): number[] {
  if (!LINUX) return [];
  const children = family(pid).filter(({ parent }) => parent === pid);
  return children.map(({ pid: child }) => cpuMicros(child) ?? 0);
}

/** Resident memory of a process and its descendants in bytes. Undefined off Linux. */
export function residentBytes(pid: number): number | undefined {
  if (!LINUX) return undefined;
  return family(pid).reduce((sum, { pid: member }) => sum + rss(member), 0);
}

/**
 * CPU microseconds spent by all processes of the machine, and by other machines on our cores. Undefined off
 * Linux. Interrupts are left out: on loopback they are mostly the bench's own packets, charged to nobody.
 */
export function machineMicros(): number | undefined {
  if (!LINUX) return undefined;
  const [line = ""] = readFileSync("/proc/stat", "latin1").split("\n", 1);
  // proc(5): user nice system idle iowait irq softirq steal
  const [user = 0, nice = 0, system = 0, , , , , steal = 0] = line.trim().split(/\s+/).slice(1).map(Number);
  return ((user + nice + system + steal) * 1e6) / TICKS_PER_SECOND;
}

type Member = { readonly pid: number; readonly parent: number; readonly ticks: number };

function family(root: number): Member[] {
  const all = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => stat(Number(name)));
  const members = all.filter(({ pid }) => pid === root);
  for (const member of members) members.push(...all.filter(({ parent }) => parent === member.pid));
  return members;
}

/** proc(5), /proc/pid/stat: the fields after the command's name, which may itself hold spaces and brackets. */
function stat(pid: number): Member[] {
  const text = readProc(`/proc/${pid}/stat`);
  if (text === undefined) return [];
  const [, parent = 0] = fieldsOf(text);
  return [{ pid, parent, ticks: ticksIn(text) }];
}

function fieldsOf(text: string): number[] {
  return text
    .slice(text.lastIndexOf(")") + 2)
    .split(" ")
    .map(Number);
}

/** User and system time. */
function ticksIn(text: string): number {
  const fields = fieldsOf(text);
  return (fields[11] ?? 0) + (fields[12] ?? 0);
}

function tasksOf(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
}

function rss(pid: number): number {
  const kilobytes = /^VmRSS:\s+(\d+) kB/m.exec(readProc(`/proc/${pid}/status`) ?? "")?.[1];
  return Number(kilobytes ?? 0) * 1024;
}

/** Undefined for a process that ended while we looked. */
function readProc(path: string): string | undefined {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return undefined;
  }
}
