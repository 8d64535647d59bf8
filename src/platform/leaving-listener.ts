import { FFIType, ptr } from "bun:ffi";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { fromCLibrary } from "./c-library";

/*
 * One of several processes that listen on one port (SO_REUSEPORT) stops listening. Linux resets the connections that it
 * has completed for the closed listener and that were not yet accepted, and those whose handshake is under way. A socket
 * filter that drops their first packet (SYN) stops new ones while the listener is still open: callers send it again after
 * a second, and it goes to one of the other listeners. `net.ipv4.tcp_migrate_req` would do without, and is off by default.
 */

const [SOL_SOCKET, SO_ATTACH_FILTER] = [1, 26];
const LISTENING = "0A";
const TABLES = ["/proc/self/net/tcp", "/proc/self/net/tcp6"];

/** Classic BPF over the TCP header: flags are its 14th byte; SYN (0x02) without ACK (0x10) is dropped (linux/filter.h). */
const DROP_SYN: readonly (readonly [code: number, ifTrue: number, ifFalse: number, value: number])[] = [
  [0x30, 0, 0, 13],
  [0x54, 0, 0, 0x12],
  [0x15, 0, 1, 0x02],
  [0x06, 0, 0, 0],
  [0x06, 0, 0, 0xffff_ffff],
];

/** A new connection asks again after this long (RFC 6298, section 2). Until then the listener must be closed. */
export const CONNECT_AGAIN_MS = 1_000;

/** No new connection comes to this process's listener on the port any more. False where the system cannot do it. */
export const refuseNewConnections = (port: number): boolean => {
  if (process.platform !== "linux") return false;
  try {
    const handles = listenersOn(port);
    return handles.length > 0 && handles.every(attach);
  } catch {
    return false; // no /proc, or another C library: the listener is closed as it is
  }
};

const listenersOn = (port: number): number[] => {
  const inodes = new Set(TABLES.flatMap((table) => inodesIn(table, port)));
  return readdirSync("/proc/self/fd").flatMap((name) => {
    const inode = /^socket:\[(\d+)\]$/.exec(targetOf(name))?.[1];
    return inode !== undefined && inodes.has(inode) ? [Number(name)] : [];
  });
};

/** Listeners of the whole network namespace on a port: those of other processes have other inodes. */
const inodesIn = (table: string, port: number): string[] =>
  readFileSync(table, "utf8")
    .split("\n")
    .flatMap((line) => {
      const [, local = "", , state, , , , , , inode = ""] = line.trim().split(/\s+/);
      return state === LISTENING && Number.parseInt(local.split(":")[1] ?? "", 16) === port ? [inode] : [];
    });

/** Empty for one that was closed since it was listed. */
const targetOf = (handle: string): string => {
  try {
    return readlinkSync(`/proc/self/fd/${handle}`);
  } catch {
    return "";
  }
};

const attach = (handle: number): boolean => {
  const code = new DataView(new ArrayBuffer(DROP_SYN.length * 8));
  DROP_SYN.forEach(([instruction, ifTrue, ifFalse, value], at) => {
    code.setUint16(at * 8, instruction, true);
    code.setUint8(at * 8 + 2, ifTrue);
    code.setUint8(at * 8 + 3, ifFalse);
    code.setUint32(at * 8 + 4, value, true);
  });
  const program = new DataView(new ArrayBuffer(16));
  program.setUint16(0, DROP_SYN.length, true);
  program.setBigUint64(8, BigInt(ptr(code)), true);
  return setsockopt()(handle, SOL_SOCKET, SO_ATTACH_FILTER, ptr(program), program.byteLength) === 0;
};

const setsockopt = () => {
  const { i32, u32, ptr: pointer } = FFIType;
  return fromCLibrary({ setsockopt: { args: [i32, i32, i32, pointer, u32], returns: i32 } }).setsockopt;
};
