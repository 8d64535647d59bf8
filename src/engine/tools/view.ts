import type { Caller } from "#core/caller";
import type { ToolDefinition, ToolPin, ToolServer } from "#core/tool";
import { pinState } from "#core/tool";
import { shownDefinition } from "#core/tool-definition";
import { hiddenBy, type ToolLayer, type ToolScope } from "#core/tool-scope";
import type { ToolRoster } from "#engine/tools/roster";

/** A tool the caller may use. */
export type OpenTool = {
  readonly server: ToolServer;
  readonly pin: ToolPin;
  /** As the caller is shown it, under its public name. */
  readonly definition: ToolDefinition;
};
/** One it may not, and the layer that says so. */
export type HiddenTool = { readonly server: ToolServer; readonly pin: ToolPin; readonly layer: ToolLayer };

/** The tools of one caller's servers, sorted into what it may use and what it may not. */
export type ToolView = {
  readonly version: number;
  /** The registry's revision it was made from. */
  readonly revision: number;
  readonly open: ReadonlyMap<string, OpenTool>;
  readonly hidden: ReadonlyMap<string, HiddenTool>;
  /** The open ones as a JSON array, in order of name. */
  readonly json: string;
};

/** Who narrows a caller beyond its user and agent: guardrail profiles and OAuth clients. */
export type Narrowing = (caller: Caller) => Pick<ToolScope, "profile" | "client">;

/** Callers whose view is kept. */
const MOST_VIEWS = 1_000;

/** Most callers are narrowed by nothing, and are asked for with every call. */
const keyOf = ({ user, agent }: Caller, { profile, client }: ReturnType<Narrowing>): string =>
  profile === null && client === null
    ? `${user.id} ${agent?.id ?? ""}`
    : JSON.stringify([user.id, agent?.id, profile, client]);

/** Makes the view of each caller once a change of the roster; listing and calling read the same one. */
export class ToolViews {
  private readonly views = new Map<string, ToolView>();

  constructor(
    private readonly roster: ToolRoster,
    private readonly narrowing: Narrowing,
    /** Tools of the hub's own, listed with all others. */
    private readonly own: readonly ToolDefinition[],
  ) {}

  /** The servers whose tools could be the caller's: an agent is shown none that it was not given. */
  serversOf({ user, agent }: Caller): readonly ToolServer[] {
    const servers = this.roster.serversOf(user.id);
    if (!agent) return servers;
    const assigned = this.roster.assignmentsOf(agent.id);
    return servers.filter(({ id }) => assigned.has(id));
  }

  of(caller: Caller): ToolView {
    const narrowing = this.narrowing(caller);
    const key = keyOf(caller, narrowing);
    const known = this.views.get(key);
    if (known?.version === this.roster.version) return known;
    if (this.views.size >= MOST_VIEWS) this.views.clear();
    const view = this.make(caller, { ...narrowing, agent: this.agentLayer(caller) });
    this.views.set(key, view);
    return view;
  }

  private agentLayer({ agent }: Caller): ToolScope["agent"] {
    if (!agent) return null;
    const assigned = this.roster.assignmentsOf(agent.id);
    return (serverId, tool) => {
      const assignment = assigned.get(serverId);
      return assignment !== undefined && (assignment.tools === null || assignment.tools.includes(tool));
    };
  }

  private make(caller: Caller, scope: ToolScope): ToolView {
    const open = new Map<string, OpenTool>();
    const hidden = new Map<string, HiddenTool>();
    for (const server of this.roster.serversOf(caller.user.id)) {
      for (const pin of this.roster.pinsOf(server.id)) {
        if (!pin.present) continue;
        const isApproved = pinState(pin) === "approved";
        const layer = hiddenBy(scope, {
          server_id: server.id,
          tool: pin.tool,
          name: pin.name,
          isServerActive: server.active,
          isApproved,
        });
        if (layer !== null) hidden.set(pin.name, { server, pin, layer });
        else open.set(pin.name, { server, pin, definition: shownDefinition(pin.pinned ?? pin.seen, pin.name) });
      }
    }
    const shown = [...this.own, ...[...open.values()].map(({ definition }) => definition)];
    shown.sort((one, other) => (one.name < other.name ? -1 : 1));
    const { version, revision } = this.roster;
    return { version, revision, open, hidden, json: JSON.stringify(shown) };
  }
}
