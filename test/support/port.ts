import { dlopen, FFIType, ptr } from "bun:ffi";

/** A loopback port that is nobody else's as long as it is held, whether somebody listens there or not. */
export type HeldPort = Disposable & { readonly port: number };

const [AF_INET, SOCK_STREAM, SOCK_CLOEXEC, SOL_SOCKET, SO_REUSEADDR] = [2, 1, 0o2000000, 1, 2];
const LOOPBACK = [127, 0, 0, 1];

const libc = () => {
  const { i32, u32, ptr: pointer } = FFIType;
  return dlopen("libc.so.6", {
    socket: { args: [i32, i32, i32], returns: i32 },
    setsockopt: { args: [i32, i32, i32, pointer, u32], returns: i32 },
    bind: { args: [i32, pointer, u32], returns: i32 },
    getsockname: { args: [i32, pointer, pointer], returns: i32 },
    close: { args: [i32], returns: i32 },
  }).symbols;
};

/**
 * For who stops listening and begins again at the same address, and for addresses where nobody is: between the two
 * the port is free, and another test of this machine is given it now and then. A socket that is bound and does not
 * listen keeps it: whoever asks for any port gets another one, whoever asks for this one gets it (SO_REUSEADDR).
 * Null where that is not so, as elsewhere than on Linux: then chance has to do.
 */
export const heldPort = (): HeldPort | null => {
  if (process.platform !== "linux") return null;
  try {
    return hold();
  } catch {
    return null; // Another C library, or another idea of sockets.
  }
};

const hold = (): HeldPort => {
  const { socket, setsockopt, bind, getsockname, close } = libc();
  const handle = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const release = () => void close(handle);
  try {
    const address = new Uint8Array(16);
    new Uint16Array(address.buffer)[0] = AF_INET;
    address.set(LOOPBACK, 4);
    const size = new Uint32Array([address.length]);
    const outcomes = [
      handle < 0 ? -1 : 0,
      setsockopt(handle, SOL_SOCKET, SO_REUSEADDR, ptr(new Int32Array([1])), 4),
      bind(handle, ptr(address), address.length),
      getsockname(handle, ptr(address), ptr(size)),
    ];
    const port = new DataView(address.buffer).getUint16(2);
    if (port === 0 || outcomes.some((outcome) => outcome !== 0)) throw new Error("no port is held");
    // Whether somebody may listen there all the same.
    Bun.listen({ hostname: "127.0.0.1", port, socket: { data: () => {} } }).stop(true);
    return { port, [Symbol.dispose]: release };
  } catch (fault) {
    release();
    throw fault;
  }
};

/** The same for programs that take no 0: where none can be held, one that was free a moment ago. */
export const anyPort = (): HeldPort => heldPort() ?? { port: passing(), [Symbol.dispose]: () => {} };

const passing = (): number => {
  const listener = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data: () => {} } });
  listener.stop(true);
  return listener.port;
};
