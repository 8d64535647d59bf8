import { chmodSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ToolServer } from "#model/tools/tool";
import { causeOf, type Log } from "#platform/log";
import type { SharedTools, ToolSharing, ToolUpstream } from "#upstream/tool-port";
import { HostSockets } from "./host-sockets.ts";
import { SharedUpstream } from "./shared-upstream.ts";
import { ownerDoor } from "./sharing-door.ts";

export type SharingNeeds = {
  /** Names this process among all that ever served from the directory, in letters, digits and hyphens. */
  readonly process: string;
  /** Where sockets are, for this user alone. */
  readonly folder: string;
  /** Whether this process is the one that does what is named so; once it is, it stays so until it releases it. */
  readonly holds: (name: string) => Promise<boolean>;
  readonly release: (name: string) => Promise<void>;
  /** Largest answer of a server, and largest request. Bytes. */
  readonly longest: number;
  readonly log: Log;
};

/** Servers that are programs on this host, each run by the process that was first asked for it. */
export class HostToolSharing implements ToolSharing {
  private readonly owned = new Set<string>();
  private tools: SharedTools | null = null;
  private door: ReturnType<typeof ownerDoor> | null = null;
  private isLeaving = false;
  private readonly sockets: HostSockets;

  constructor(private readonly needs: SharingNeeds) {
    this.sockets = new HostSockets(needs.folder);
  }

  through(server: ToolServer, local: () => ToolUpstream): ToolUpstream {
    if (server.transport !== "stdio") return local();
    const { longest } = this.needs;
    return new SharedUpstream({
      server,
      local,
      longest,
      isOwned: () => this.isOwned(server.id),
      addressOfOwner: () => this.addressOfOwner(server.id),
    });
  }

  serve(tools: SharedTools): void {
    this.tools = tools;
  }

  async leave(): Promise<void> {
    this.isLeaving = true;
    const servers = [...this.owned];
    this.owned.clear();
    await Promise.all(servers.map((id) => this.needs.release(leaseOf(id))));
  }

  async stop(): Promise<void> {
    await this.door?.stop();
  }

  private async isOwned(serverId: string): Promise<boolean> {
    if (this.owned.has(serverId)) return true;
    if (this.isLeaving || !(await this.needs.holds(leaseOf(serverId)))) return false;
    this.own(serverId);
    return true;
  }

  /** From now on the others find it here. */
  private own(serverId: string): void {
    const { folder, process, log, longest } = this.needs;
    const { tools } = this;
    if (this.owned.has(serverId) || tools === null) return;
    try {
      this.sockets.make();
      const name = `${process}.sock`;
      this.door ??= ownerDoor({
        path: this.sockets.path(name),
        tools,
        longest,
        log,
        isOwned: (id) => this.owned.has(id),
      });
      chmodSync(join(folder, name), 0o600);
      const draft = join(folder, `${process}-${noteOf(serverId)}.tmp`);
      writeFileSync(draft, name, { mode: 0o600 });
      renameSync(draft, join(folder, noteOf(serverId)));
    } catch (error) {
      // It is run here all the same; the others are told that its process does not answer.
      log.error("tools.not_shared", { server_id: serverId, ...causeOf(error) });
    }
    this.owned.add(serverId);
  }

  /** Null where no process has said that it runs the server. */
  private addressOfOwner(serverId: string): string | null {
    try {
      const name = readFileSync(join(this.needs.folder, noteOf(serverId)), "utf8");
      return /^[a-z0-9-]+\.sock$/.test(name) ? this.sockets.path(name) : null;
    } catch {
      return null; // none has yet, or it is being written
    }
  }
}

/** Of what nobody owns any more since no process serves. */
export const forgetSharing = (folder: string): void => rmSync(folder, { recursive: true, force: true });

const leaseOf = (serverId: string): string => `tool server ${serverId}`;
const noteOf = (serverId: string): string => encodeURIComponent(serverId);
