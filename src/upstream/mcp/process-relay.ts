import { chmodSync, existsSync } from "node:fs";
import { join } from "node:path";
import { UNLIMITED } from "#upstream/guarded-fetch";
import type { ProcessRelay } from "#upstream/tool-port";
import { HostSockets } from "./host-sockets.ts";

type RelayNeeds = {
  /** Names this process among all that ever served from the directory, in letters, digits and hyphens. */
  readonly process: string;
  readonly folder: string;
  readonly bodyBytes: number;
};

/**
 * The runtime closes connections that are silent for 10 s, and a person may take minutes. Its types know the option for
 * ports only.
 */
const UNHURRIED: object = { idleTimeout: 0 };

const socketOf = (name: string): string => `${name}-calls.sock`;

/** Requests to the tool gateway that another process of this host has to answer, since it holds the call they are about. */
export class HostProcessRelay implements ProcessRelay {
  private readonly sockets: HostSockets;
  private listener: Bun.Server<undefined> | null = null;

  constructor(private readonly needs: RelayNeeds) {
    this.sockets = new HostSockets(needs.folder);
  }

  serve(answer: (request: Request) => Promise<Response>): void {
    const name = socketOf(this.needs.process);
    this.sockets.make();
    this.listener = Bun.serve({
      unix: this.sockets.path(name),
      maxRequestBodySize: this.needs.bodyBytes,
      ...UNHURRIED,
      fetch: answer,
    });
    chmodSync(join(this.needs.folder, name), 0o600);
  }

  async forward(process: string, request: Request, body: string | null): Promise<Response | null> {
    const name = socketOf(process);
    if (!existsSync(join(this.needs.folder, name))) return null;
    const headers = new Headers(request.headers);
    for (const own of ["content-length", "connection", "accept-encoding", "transfer-encoding"]) headers.delete(own);
    const { method, signal, url } = request;
    const init = { ...UNLIMITED, unix: this.sockets.path(name), method, headers, body, signal, keepalive: false };
    return fetch(url, init).catch((error: unknown) => {
      if (signal.aborted) throw error;
      return null; // it has ended, and its calls with it
    });
  }

  async stop(): Promise<void> {
    await this.listener?.stop(true);
    this.listener = null;
  }
}
