import { dlopen, type FFIFunction } from "bun:ffi";

const LIBRARIES = ["libc.so.6", `libc.musl-${process.arch === "x64" ? "x86_64" : "aarch64"}.so.1`];

/** Functions of the C library of Linux, the GNU one or musl. Throws where there is neither. */
export const fromCLibrary = <const Signatures extends Record<string, FFIFunction>>(signatures: Signatures) => {
  for (const library of LIBRARIES) {
    try {
      return dlopen(library, signatures).symbols;
    } catch {
      // the other C library's name is tried
    }
  }
  throw new Error("no C library was found");
};
