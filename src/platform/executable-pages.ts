import { FFIType } from "bun:ffi";
import { readFileSync } from "node:fs";
import { fromCLibrary } from "./c-library";

/** madvise(2): the pages are not needed soon. */
const MADV_DONTNEED = 4;

type Mapping = { readonly begin: number; readonly bytes: number };

/**
 * Takes the program's own code out of the memory of the process: a start runs much that calls never run. What is still
 * used comes back from the page cache of the system when it is next run, in pieces of 64 KB. Some milliseconds. Does
 * nothing where the system cannot do it.
 */
export const releaseExecutablePages = (): void => {
  if (process.platform !== "linux") return;
  try {
    const { madvise } = fromCLibrary({
      madvise: { args: [FFIType.u64, FFIType.u64, FFIType.i32], returns: FFIType.i32 },
    });
    for (const { begin, bytes } of unwritten(readFileSync("/proc/self/smaps", "latin1"), process.execPath)) {
      madvise(begin, bytes, MADV_DONTNEED);
    }
  } catch {
    return; // no /proc, or another C library: the pages stay until the system wants them
  }
};

/**
 * Where a file is mapped and can only be read, and nothing was ever written: what was written, as addresses are when a
 * program is loaded, is nowhere else and would be lost (proc(5), /proc/pid/smaps).
 */
export const unwritten = (smaps: string, file: string): readonly Mapping[] =>
  smaps.split(/\n(?=[\da-f]+-[\da-f]+ )/).flatMap((mapping) => {
    const [, begin, end, path] = /^([\da-f]+)-([\da-f]+) r-[-x]p \S+ \S+ \S+ +(.*)$/m.exec(mapping) ?? [];
    if (begin === undefined || end === undefined || path !== file || !/^Anonymous: +0 kB$/m.test(mapping)) return [];
    const from = Number.parseInt(begin, 16);
    return [{ begin: from, bytes: Number.parseInt(end, 16) - from }];
  });
