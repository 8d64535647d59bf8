import { isRecord, type JsonRecord, parseJson } from "#core/json";
import { parseExact } from "#core/json-reader";
import { credentialsPurpose, pinState, type ToolPin, type ToolServer } from "#core/tool";
import { emailsFor, type Names } from "#engine/names";
import { type Sealing, UnsealFailed } from "#platform/sealing";
import type { ToolServerStore, UserStore } from "#store/port";
import type { Looked } from "./port";
import type { ServerStatus, ShownTool, ShownToolServer } from "./schema";
import type { ToolServerReport } from "./shown";
import { waits } from "./tool-choice";

type Deps = {
  readonly tools: Pick<ToolServerStore, "pins">;
  readonly users: Pick<UserStore, "byIds">;
  readonly unseal: Sealing["unseal"];
};

export type Report = ToolServerReport;

/** Tool servers as people are shown them. */
export class Presenter {
  constructor(private readonly deps: Deps) {}

  /** By what is stored; nobody is asked. */
  async stored(servers: readonly ToolServer[]): Promise<ShownToolServer[]> {
    const emails = await this.emails(servers);
    const shown = servers.map(async (server) => {
      const pins = await this.deps.tools.pins(server.id);
      return this.shown(server, pins, storedStatus(server, pins), emails);
    });
    return Promise.all(shown);
  }

  async report(server: ToolServer, looked: Looked): Promise<Report> {
    const shown = this.shown(server, looked.tools, foundStatus(server, looked), await this.emails([server]));
    return looked.ok
      ? { ...shown, ok: true, problem: null, ms: looked.ms, protocol: looked.protocol }
      : { ...shown, ok: false, problem: looked.problem, ms: null, protocol: null };
  }

  private emails(servers: readonly ToolServer[]): Promise<Names["user"]> {
    const owners = servers.map(({ owner_id }) => owner_id);
    return emailsFor(this.deps.users, owners);
  }

  private shown(
    server: ToolServer,
    pins: readonly ToolPin[],
    status: ServerStatus,
    emails: Names["user"],
  ): ShownToolServer {
    const { id, slug, owner_id, transport, url, command, active, given_by, call_ms, list_ms, created_at } = server;
    return {
      id,
      slug,
      owner: emails(owner_id),
      transport,
      url,
      command: command === null ? null : [...command],
      active,
      status,
      credentials: this.credentials(server),
      given_by,
      call_ms,
      list_ms,
      tools: pins.map(shownTool),
      created_at: new Date(created_at).toISOString(),
    };
  }

  private credentials({ id, credential_kind: kind, sealed_credentials }: ToolServer): ShownToolServer["credentials"] {
    if (kind !== "headers" || sealed_credentials === null) return { kind };
    try {
      const opened = parseJson(this.deps.unseal(credentialsPurpose(id), sealed_credentials));
      const headers = isRecord(opened) && isRecord(opened["headers"]) ? Object.keys(opened["headers"]) : [];
      return { kind, headers };
    } catch (error) {
      // A list is still shown where the master key is missing; whoever uses the credentials is told.
      if (error instanceof UnsealFailed) return { kind };
      throw error;
    }
  }
}

const shownTool = (pin: ToolPin): ShownTool => ({
  name: pin.name,
  tool: pin.tool,
  status: pinState(pin),
  flags: [...pin.flags],
  present: pin.present,
  hash: pin.seen_hash,
});

const storedStatus = ({ active }: ToolServer, pins: readonly ToolPin[]): ServerStatus => {
  if (!active) return "inactive";
  return pins.some(waits) ? "changed" : "active";
};

const foundStatus = (server: ToolServer, looked: Looked): ServerStatus => {
  if (looked.ok || !server.active) return storedStatus(server, looked.tools);
  return looked.reason === "unauthorized" ? "unauthorized" : "unreachable";
};

/** A stored definition; null when there is none. */
export const definitionOf = (json: string | null): JsonRecord | null => {
  const definition = json === null ? null : parseExact(json);
  return isRecord(definition) ? definition : null;
};
