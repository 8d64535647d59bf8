import { mkdirSync, openSync } from "node:fs";
import { join } from "node:path";

/** Longest path of a socket that every system takes, in bytes (sun_path). */
const MAX_PATH_BYTES = 100;

/** Where processes of one hub on this host reach each other: a folder of sockets, for this user alone. */
export class HostSockets {
  private opened: number | null = null;

  constructor(readonly folder: string) {}

  make(): void {
    mkdirSync(this.folder, { recursive: true, mode: 0o700 });
  }

  /** By the folder's handle where the path is too long for a socket: Linux takes that. */
  path(name: string): string {
    const path = join(this.folder, name);
    if (Buffer.byteLength(path) <= MAX_PATH_BYTES || process.platform !== "linux") return path;
    this.opened ??= openSync(this.folder, "r");
    return `/proc/self/fd/${this.opened}/${name}`;
  }
}
