import { createServer, type Server, type Socket } from "node:net";
import { Reader, type RequestMessage } from "#test/support/http-reader";

/** The server's side of one connection: every byte and every end is the script's. */
export class PeerConnection {
  readonly #reader = new Reader();
  readonly #arrived: RequestMessage[] = [];
  #wake: () => void = () => {};
  #isGone = false;
  /** Resolves once the client has closed or reset it. */
  readonly gone: Promise<void>;

  constructor(readonly socket: Socket) {
    socket.on("error", () => undefined);
    socket.on("data", (bytes) => {
      this.#reader.push(Buffer.from(bytes));
      for (let next = this.#reader.next(); next; next = this.#reader.next()) this.#arrived.push(next);
      this.#wake();
    });
    this.gone = new Promise((resolve) => {
      const leave = () => {
        this.#isGone = true;
        this.#wake();
        resolve();
      };
      socket.once("close", leave);
      socket.once("end", leave);
    });
  }

  /** The next whole request; null when the client is gone. */
  async request(): Promise<RequestMessage | null> {
    while (this.#arrived.length === 0 && !this.#isGone) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    return this.#arrived.shift() ?? null;
  }

  /** Resolves once the kernel has it, or the client is gone. */
  async write(bytes: string | Buffer): Promise<void> {
    const data = typeof bytes === "string" ? Buffer.from(bytes, "latin1") : bytes;
    await Promise.race([new Promise<void>((resolve) => this.socket.write(data, () => resolve())), this.gone]);
  }

  /** FIN. What the client sends can still be read. */
  end(): void {
    this.socket.end();
  }

  /** RST. */
  reset(): void {
    this.socket.resetAndDestroy();
  }
}

type Script = (connection: PeerConnection, position: number) => Promise<void> | void;

/** A server whose connections each run a script; `position` counts them from 0. */
export class ScriptedPeer implements AsyncDisposable {
  readonly #server: Server;
  readonly connections: PeerConnection[] = [];
  readonly #faults: unknown[] = [];

  private constructor(script: Script) {
    this.#server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
      const connection = new PeerConnection(socket);
      this.connections.push(connection);
      const run = async () => script(connection, this.connections.length - 1);
      run().catch((fault: unknown) => this.#faults.push(fault));
    });
  }

  static async listen(script: Script, host = "127.0.0.1"): Promise<ScriptedPeer> {
    const peer = new ScriptedPeer(script);
    await new Promise<void>((resolve) => peer.#server.listen(0, host, resolve));
    return peer;
  }

  get port(): number {
    const address = this.#server.address();
    if (address === null || typeof address === "string") throw new Error("no port");
    return address.port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/v1/x`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { socket } of this.connections) socket.destroy();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
    if (this.#faults.length > 0) throw new AggregateError(this.#faults, "a script failed");
  }
}

/** Answers each request of each connection with the same bytes. */
export const answers =
  (bytes: string | Buffer): Script =>
  async (connection) => {
    while ((await connection.request()) !== null) await connection.write(bytes);
  };
