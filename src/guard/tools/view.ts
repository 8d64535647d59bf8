import { matchesGlob } from "#core/glob";
import type { PolicyResolver } from "#guard/enforcement/policy-resolver";
import type { TokenPrincipal } from "#model/principal";
import { mayMeet, publicUri } from "#model/tools/resource-uri";
import { pinState, type ToolAssignment, type ToolDefinition, type ToolPin, type ToolServer } from "#model/tools/tool";
import { hiddenBy, type ScopedKind, type ToolLayer, type ToolScope } from "#model/tools/tool-scope";
import { holdingOf, offerDenials, toolDenials } from "#policy/profile/permits";
import type { ShownTool, ToolRegistryCache } from "./registry-cache";
import { ToolList } from "./tool-list";

/** A tool the caller may use. */
export type OpenTool = {
  readonly server: ToolServer;
  readonly pin: ToolPin;
  /** As the caller is shown it, under its public name. */
  readonly definition: ToolDefinition;
  /** Whether its server runs it as a task alone. */
  readonly isTask: boolean;
};
/** One it may not, and the layer that says so. */
export type HiddenTool = { readonly server: ToolServer; readonly pin: ToolPin; readonly layer: ToolLayer };

/** A prompt or template of one of the caller's servers. */
export type Offer = { readonly server: ToolServer; readonly pin: ToolPin };

/** What of one kind the caller may use, by public name, and what it may not. */
export type OfferView = {
  readonly open: ReadonlyMap<string, Offer>;
  readonly hidden: ReadonlyMap<string, Offer & { readonly layer: ToolLayer }>;
};

/** The tools of one caller's servers, sorted into what it may use and what it may not. */
export type ToolView = {
  readonly version: number;
  /** The registry's revision it was made from. */
  readonly revision: number;
  readonly open: ReadonlyMap<string, OpenTool>;
  readonly hidden: ReadonlyMap<string, HiddenTool>;
  /** What the caller is listed: the open ones, in order of name; or, where they are too many, how to search them. */
  readonly list: ToolList;
  /** Whether the open ones are searched instead of listed. */
  readonly isSearched: boolean;
  readonly prompts: OfferView;
  readonly templates: OfferView;
};

/** The hub's own tools, and from how many others on those are searched. */
export type OwnTools = {
  readonly listed: readonly ToolDefinition[];
  /** Listed in place of the caller's tools. */
  readonly searching: readonly ToolDefinition[];
  /** The most tools that are listed; null for any number. */
  readonly searchAbove: number | null;
};

/**
 * Who narrows a caller beyond its user and agent: guardrail profiles, restrictions and OAuth clients. `by` stays the
 * same object for as long as they say the same.
 */
export type Narrowing = (
  caller: TokenPrincipal,
) => Pick<ToolScope, "governed" | "client"> & { readonly by: object | null };

/** Callers whose view is kept. */
const MAX_VIEWS = 1_000;

const keyOf = ({ user, agent }: TokenPrincipal, { client }: ReturnType<Narrowing>): string =>
  client === null ? `${user.id} ${agent?.id ?? ""}` : JSON.stringify([user.id, agent?.id, client]);

/** Makes the view of each caller once a change of the roster; listing and calling read the same one. */
export class ToolViews {
  private readonly views = new Map<string, { readonly view: ToolView; readonly by: object | null }>();

  constructor(
    private readonly toolRegistry: ToolRegistryCache,
    private readonly narrowing: Narrowing,
    private readonly own: OwnTools,
  ) {}

  /** The servers whose tools could be the caller's: an agent is shown none that it was not given. */
  serversOf({ user, agent }: TokenPrincipal): readonly ToolServer[] {
    const servers = this.toolRegistry.serversOf(user.id);
    if (!agent) return servers;
    const assigned = this.toolRegistry.assignmentsOf(agent.id);
    return servers.filter(({ id }) => assigned.has(id));
  }

  of(caller: TokenPrincipal): ToolView {
    const narrowing = this.narrowing(caller);
    const key = keyOf(caller, narrowing);
    const known = this.views.get(key);
    if (known?.view.version === this.toolRegistry.version && known.by === narrowing.by) return known.view;
    if (this.views.size >= MAX_VIEWS) this.views.clear();
    const view = this.make(caller, this.scopeOf(caller, narrowing));
    this.views.set(key, { view, by: narrowing.by });
    return view;
  }

  /** The layer that hides resources of a server from the caller, by their own URIs; null for one it may read. */
  resourceScope(caller: TokenPrincipal, { id, slug, active }: ToolServer): (uri: string) => ToolLayer | null {
    const scope = this.scopeOf(caller, this.narrowing(caller));
    return (uri) => {
      const name = publicUri(slug, uri);
      const what = { kind: "resource", server_id: id, slug, tool: uri, name } as const;
      return hiddenBy(scope, { ...what, isServerActive: active, isApproved: true });
    };
  }

  private scopeOf(caller: TokenPrincipal, { governed, client }: ReturnType<Narrowing>): ToolScope {
    return { governed, client, agent: this.agentLayer(caller) };
  }

  private agentLayer({ agent }: TokenPrincipal): ToolScope["agent"] {
    if (!agent) return null;
    const assigned = this.toolRegistry.assignmentsOf(agent.id);
    return (serverId, tool, kind) => {
      const assignment = assigned.get(serverId);
      return assignment !== undefined && isAssigned(assignment, tool, kind);
    };
  }

  private offersOf({ user }: TokenPrincipal, scope: ToolScope, kind: "prompt" | "template"): OfferView {
    const open = new Map<string, Offer>();
    const hidden = new Map<string, Offer & { readonly layer: ToolLayer }>();
    for (const server of this.toolRegistry.serversOf(user.id)) {
      for (const pin of this.toolRegistry.pinsOf(server.id, kind)) {
        if (!pin.present) continue;
        const { tool, name } = pin;
        const what = { kind, server_id: server.id, slug: server.slug, tool, name };
        const isApproved = pinState(pin) === "approved";
        const layer = hiddenBy(scope, { ...what, isServerActive: server.active, isApproved });
        if (layer === null) open.set(name, { server, pin });
        else hidden.set(name, { server, pin, layer });
      }
    }
    return { open, hidden };
  }

  private make(caller: TokenPrincipal, scope: ToolScope): ToolView {
    const open = new Map<string, OpenTool>();
    const hidden = new Map<string, HiddenTool>();
    const shown: ShownTool[] = [];
    for (const server of this.toolRegistry.serversOf(caller.user.id)) {
      for (const pin of this.toolRegistry.pinsOf(server.id)) {
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
        else {
          const tool = this.toolRegistry.shownOf(pin);
          open.set(pin.name, { server, pin, definition: tool.definition, isTask: tool.isTask });
          shown.push(tool);
        }
      }
    }
    const { listed, searching, searchAbove } = this.own;
    const isSearched = searchAbove !== null && open.size > searchAbove;
    const own = (isSearched ? [...listed, ...searching] : listed).map(ownTool);
    const all = [...own, ...(isSearched ? [] : shown)];
    all.sort((one, other) => (one.definition.name < other.definition.name ? -1 : 1));
    const { version, revision } = this.toolRegistry;
    const list = new ToolList(`[${all.map(({ json }) => json).join(",")}]`);
    const prompts = this.offersOf(caller, scope, "prompt");
    const templates = this.offersOf(caller, scope, "template");
    return { version, revision, open, hidden, list, isSearched, prompts, templates };
  }
}

/** Nothing beside tools is an agent's unless it was named. */
const isAssigned = ({ tools, prompts, resources }: ToolAssignment, own: string, kind: ScopedKind): boolean => {
  if (kind === "tool") return tools === null || tools.includes(own);
  if (kind === "prompt") return prompts.includes("*") || prompts.includes(own);
  const isMet = kind === "resource" ? matchesGlob : mayMeet;
  return resources.some((pattern) => isMet(pattern, own));
};

const ownTool = (definition: ToolDefinition): ShownTool => ({
  definition,
  json: JSON.stringify(definition),
  isTask: false,
});

const NOT_NARROWED = { governed: null, client: null, by: null };

/** What profiles and restrictions leave of a caller's tools. A profile that only watches hides nothing. */
export const narrowedBy =
  (policyResolver: PolicyResolver): Narrowing =>
  ({ agent, client }) => {
    if (!agent) return client ? { governed: null, client: client.tools, by: null } : NOT_NARROWED;
    const { effective } = policyResolver.rulesOfAgent(agent.id);
    if (effective.tools.length === 0) return NOT_NARROWED;
    const own = `profile v${effective.profile_version}`;
    const governed: ToolScope["governed"] = (name, kind, slug) => {
      const denials = kind === "tool" ? toolDenials(effective, name) : offerDenials(effective, { kind, slug, name });
      const denial = holdingOf(effective, denials);
      if (!denial) return null;
      return denial.layer === own ? "profile" : "restriction";
    };
    return { governed, client: null, by: effective };
  };
