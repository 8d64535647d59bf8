import { createServer, type Server, type Socket } from "node:net";
import { Reader } from "./http-reader.ts";

const CONTINUE = Buffer.from("HTTP/1.1 100 Continue\r\n\r\n");

/** One request as it came over the wire. */
export type RawRequest = {
  readonly method: string;
  /** Path and query, as sent. */
  readonly target: string;
  readonly headers: Headers;
  /** The body, decoded as UTF-8. */
  readonly text: string;
  /** Aborted when the client goes away before the answer is complete. */
  readonly gone: AbortSignal;
};

/** The answering side of one connection: every byte is the handler's own. */
export type Wire = {
  /** Resolves once the bytes are handed to the kernel; false when the client is gone. */
  write(bytes: Uint8Array): Promise<boolean>;
  /** Ends the connection in order (FIN). */
  close(): void;
  /** Ends the connection at once (RST). */
  reset(): void;
};

/** Answers one request. The connection is kept for the next one unless the handler closed it. */
export type RawHandler = (request: RawRequest, wire: Wire) => Promise<void>;

/**
 * An HTTP/1.1 server that reads requests properly and leaves every byte of the answer to its handler,
 * so that it can misbehave in ways a real HTTP server library does not allow.
 */
export class RawHttpServer implements AsyncDisposable {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly port: number;

  private constructor(server: Server, port: number) {
    this.#server = server;
    this.port = port;
    server.on("connection", (socket) => {
      this.#sockets.add(socket);
      socket.on("close", () => this.#sockets.delete(socket));
    });
  }

  /** Listens on a free loopback port. `onFault` hears of handlers that threw. */
  static async listen(handler: RawHandler, onFault: (fault: unknown) => void): Promise<RawHttpServer> {
    const server = createServer({ noDelay: true }, (socket) => serve(socket, handler, onFault));
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(0, "127.0.0.1", resolve);
    });
    const address = server.address();
    if (address === null || typeof address === "string") throw new Error("the server has no port");
    return new RawHttpServer(server, address.port);
  }

  /** How many clients are connected now. */
  get connections(): number {
    return this.#sockets.size;
  }

  /** Stops listening and destroys what is still open; answers in progress see the client as gone. */
  async [Symbol.asyncDispose](): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }
}

function serve(socket: Socket, handler: RawHandler, onFault: (fault: unknown) => void): void {
  const reader = new Reader();
  const wire = wireTo(socket);
  let busy = false;
  let leaving: AbortController | undefined;

  const next = async (): Promise<void> => {
    if (busy) return;
    const message = reader.next();
    if (message === undefined) return;
    busy = true;
    leaving = new AbortController();
    if (message.expectsContinue) await wire.write(CONTINUE);
    const { method, target, headers, text } = message;
    await handler({ method, target, headers, text, gone: leaving.signal }, wire);
    leaving = undefined;
    busy = false;
    await next();
  };
  const step = (): void => {
    next().catch((fault: unknown) => {
      onFault(fault);
      socket.destroy();
    });
  };

  socket.on("data", (bytes) => {
    reader.push(typeof bytes === "string" ? Buffer.from(bytes) : bytes);
    step();
  });
  socket.on("close", () => leaving?.abort());
  // A reset by the client is reported as an error first; "close" follows and does the work.
  socket.on("error", () => leaving?.abort());
}

function wireTo(socket: Socket): Wire {
  return {
    write: (bytes) =>
      new Promise((resolve) => {
        if (socket.destroyed || !socket.writable) return resolve(false);
        const onClose = () => resolve(false);
        socket.once("close", onClose);
        socket.write(bytes, (error) => {
          socket.off("close", onClose);
          resolve(error === undefined || error === null);
        });
      }),
    close: () => void socket.end(),
    reset: () => void socket.resetAndDestroy(),
  };
}
