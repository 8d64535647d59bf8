import type { Socket } from "bun";

type Side = { other: Socket<Side> | null; readonly waiting: Uint8Array[] };

/** Passes bytes between its own port and a server's, until told not to. */
export class TcpProxy implements Disposable {
  readonly #listener;
  readonly #open = new Set<Socket<Side>>();
  #isSilent = false;
  #delayMs = 0;

  constructor(private target: number) {
    this.#listener = Bun.listen<Side>({
      hostname: "127.0.0.1",
      port: 0,
      data: { other: null, waiting: [] },
      socket: {
        open: (socket) => this.#opened(socket),
        data: (socket, bytes) => this.#passed(socket, bytes),
        drain: (socket) => this.#drained(socket),
        close: (socket) => this.#closed(socket),
        error: (socket) => this.#closed(socket),
      },
    });
  }

  get port(): number {
    return this.#listener.port;
  }

  /** Ends all connections; new ones are passed on. */
  cut(): void {
    for (const socket of [...this.#open]) socket.terminate();
  }

  /** Later connections go to another server. */
  turnTo(port: number): void {
    this.target = port;
  }

  /** As a network that drops every packet: connections stay, and nothing goes through. */
  silence(): void {
    this.#isSilent = true;
  }

  /** What comes from now on is passed on so much later, in either direction and in order, until `speak`. */
  delay(ms: number): void {
    this.#delayMs = ms;
  }

  /** New connections are passed on again, without delay. */
  speak(): void {
    this.#isSilent = false;
    this.#delayMs = 0;
    this.cut();
  }

  [Symbol.dispose](): void {
    this.#listener.stop(true);
    this.cut();
  }

  #opened(socket: Socket<Side>): void {
    const side: Side = { other: null, waiting: [] };
    socket.data = side;
    this.#open.add(socket);
    const connecting = Bun.connect<Side>({
      hostname: "127.0.0.1",
      port: this.target,
      data: { other: socket, waiting: [] },
      socket: {
        open: (server) => {
          this.#open.add(server);
          side.other = server;
          for (const bytes of side.waiting.splice(0)) this.#send(server, bytes);
        },
        data: (server, bytes) => this.#passed(server, bytes),
        drain: (server) => this.#drained(server),
        close: (server) => this.#closed(server),
        error: (server) => this.#closed(server),
      },
    });
    connecting.catch(() => socket.terminate());
  }

  #passed(from: Socket<Side>, bytes: Uint8Array): void {
    if (this.#isSilent) return;
    if (this.#delayMs === 0) this.#pass(from, bytes);
    else {
      const copy = bytes.slice();
      setTimeout(() => this.#pass(from, copy), this.#delayMs);
    }
  }

  #pass(from: Socket<Side>, bytes: Uint8Array): void {
    if (this.#isSilent) return;
    const { other, waiting } = from.data;
    // Copied: the bytes are the socket's own until it is called again.
    if (other === null) waiting.push(bytes.slice());
    else this.#send(other, bytes);
  }

  #send(to: Socket<Side>, bytes: Uint8Array): void {
    const sent = to.data.waiting.length > 0 ? 0 : Math.max(0, to.write(bytes));
    if (sent < bytes.length) to.data.waiting.push(bytes.slice(sent));
  }

  #drained(socket: Socket<Side>): void {
    const { waiting } = socket.data;
    for (let next = waiting[0]; next !== undefined; next = waiting[0]) {
      const sent = Math.max(0, socket.write(next));
      if (sent < next.length) {
        waiting[0] = next.slice(sent);
        return;
      }
      waiting.shift();
    }
  }

  #closed(socket: Socket<Side>): void {
    if (!this.#open.delete(socket)) return;
    socket.data.other?.terminate();
  }
}
