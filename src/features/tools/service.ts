import { GuardError } from "#core/errors";
import { deadlineOf } from "#features/tools/deadline";
import type {
  CallAnswer,
  CallRequest,
  ListAnswer,
  ListRequest,
  ToolRequest,
  Tools,
  ToolWatch,
} from "#features/tools/dialect/port";
import { GovernedToolCall } from "#features/tools/governed";
import { Looks } from "#features/tools/looks";
import { type CallParams, callParams } from "#features/tools/params";
import type { QuestionNeeds } from "#features/tools/questions/call-questions";
import { meantParams, queryOf, search } from "#features/tools/search";
import { ToolSearchIndex } from "#features/tools/search-index";
import { blockedAnswer, noteOf, ToolCall } from "#features/tools/tool-call";
import { facts } from "#features/tools/tool-facts";
import { type ServerState, whoami } from "#features/tools/whoami";
import type { CallDeadline } from "#guard/call-deadline";
import type { ConversationMemory } from "#guard/conversations";
import type { GuardNeeds } from "#guard/guard-needs";
import { beginCall, type GuardedCall } from "#guard/guarded-call";
import type { CallLimiter } from "#guard/limits/limiter";
import type { OpenCalls } from "#guard/open-calls";
import type { RecentValues } from "#guard/recent-values";
import { ScanBatcher } from "#guard/scan-batcher";
import type { ToolApprovalGate } from "#guard/tool-approval-gate";
import type { ToolCatalogue } from "#guard/tools/catalogue";
import type { ToolConnections } from "#guard/tools/connections";
import type { ToolRegistryCache } from "#guard/tools/registry-cache";
import type { ResourceLists } from "#guard/tools/resource-lists";
import type { ResourceWatches } from "#guard/tools/resource-watches";
import type { OpenTool, ToolView, ToolViews } from "#guard/tools/view";
import type { ToolFacts } from "#model/audit";
import type { TokenPrincipal } from "#model/principal";
import { SEARCH_TOOLS, WHOAMI } from "#model/tools/own-tools";
import { withPublicLinks } from "#model/tools/result-uris";
import { OWN_SLUG, type ToolServer } from "#model/tools/tool";
import { slices } from "#platform/slices";
import { holdingOf, toolDenials } from "#policy/profile/permits";

export type ToolLimits = {
  readonly jsonDepth: number;
  /** The whole call, in milliseconds. */
  readonly totalMs: number;
  /** Longest silence of a call where its server has no limit of its own, in milliseconds. */
  readonly callMs: number;
};

export type ToolServiceNeeds = {
  readonly guard: GuardNeeds;
  readonly openCalls: OpenCalls;
  readonly toolRegistry: ToolRegistryCache;
  readonly views: ToolViews;
  readonly catalogue: ToolCatalogue;
  readonly resourceLists: ResourceLists;
  readonly resourceWatches: ResourceWatches;
  readonly connections: ToolConnections;
  readonly limits: ToolLimits;
  readonly limiter: CallLimiter;
  readonly toolApprovals: ToolApprovalGate;
  readonly conversations: ConversationMemory;
  readonly questions: QuestionNeeds;
  readonly recentValues: RecentValues;
  /** Whether the hub's own tool is there. */
  readonly hasWhoami: boolean;
  /** Whether callers can search their tools. */
  readonly hasSearch: boolean;
};

/** How a tool of the hub's own is named in the record. */
const ownTool = (name: string) => ({ server: OWN_SLUG, tool: name.slice(OWN_SLUG.length + "__".length), name });

/** Layers that a profile or a restriction stands behind. */
const GOVERNED_LAYERS: ReadonlySet<ToolFacts["denied_by"]> = new Set(["profile", "restriction"]);

/** Lists and calls the tools of all of a caller's servers. What is listed can be called and nothing else can. */
export class ToolService implements Tools {
  private readonly scanBatcher: ScanBatcher;
  private readonly looks = new Looks();
  private readonly searchIndex = new ToolSearchIndex();

  constructor(private readonly deps: ToolServiceNeeds) {
    this.scanBatcher = new ScanBatcher(deps.openCalls);
  }

  async list(caller: TokenPrincipal, request: ListRequest): Promise<ListAnswer> {
    this.deps.guard.auditor.assertAcceptingWork();
    const call = this.begin(caller, "tool.list", request);
    try {
      call.gate.assertNotStopped();
      const view = await this.viewOf(caller);
      this.mustNotBeAllDown(caller, view);
      call.context.tool = { ...this.facts(request, view), listed: view.isSearched ? 0 : view.open.size };
      await call.record.finish("answered", 200);
      return { tools: view.list, leftOut: this.leftOut(caller), note: noteOf(call) };
    } catch (error) {
      throw await call.record.fail(error);
    }
  }

  async call(caller: TokenPrincipal, request: CallRequest): Promise<CallAnswer> {
    this.deps.guard.auditor.assertAcceptingWork();
    const call = this.begin(caller, "tool.call", request);
    const { openCalls, limits } = this.deps;
    const deadline = deadlineOf(call, { client: request.signal, openCalls, totalMs: limits.totalMs });
    try {
      call.gate.assertNotStopped();
      const meant = this.deps.hasSearch ? meantParams(request.params) : request.params;
      const taken = callParams(meant, limits.jsonDepth);
      const params = taken instanceof Promise ? await taken : taken;
      if (params.name === WHOAMI && this.deps.hasWhoami) return await this.whoami(call, caller, request);
      if (params.name === SEARCH_TOOLS && this.deps.hasSearch) return await this.search(call, caller, request, params);
      const tool = await this.find(call, caller, params.name, request);
      // Now that its server is known.
      call.gate.assertNotStopped();
      // What is called by `guardhouse__call_tool` has no headers for its parameters.
      if (meant === request.params) request.checkTool?.(tool.definition, params.arguments);
      return await this.pass(call, caller, { tool, params, request, deadline });
    } catch (error) {
      throw await call.record.fail(deadline.explain(error));
    } finally {
      deadline.end();
    }
  }

  watch(caller: TokenPrincipal, onChange: () => void): ToolWatch {
    const { views, toolRegistry } = this.deps;
    let last = views.of(caller).list.json;
    const look = this.looks.begin(caller, (now) => {
      const { json } = views.of(now).list;
      if (json === last) return;
      last = json;
      onChange();
    });
    const stop = toolRegistry.onChange(look.ask);
    return {
      lookAs: look.lookAs,
      end: () => {
        stop();
        look.end();
      },
    };
  }

  private begin(caller: TokenPrincipal, kind: string, request: ToolRequest): GuardedCall {
    const call = beginCall(this.deps.guard, { caller, kind, id: request.id }, request.callerTrace);
    call.context.tool = this.facts(request, this.deps.toolRegistry);
    return call;
  }

  private facts(request: ToolRequest, view: Pick<ToolView, "revision">): ToolFacts {
    return facts(request, view);
  }

  /** What the caller may use, once every server it could have tools of has told its own or had its time. */
  private async viewOf(caller: TokenPrincipal): Promise<ToolView> {
    const { views, catalogue } = this.deps;
    const waiting = catalogue.ready(views.serversOf(caller));
    if (waiting) await waiting;
    return views.of(caller);
  }

  /** The same at once where any tool is known: a server that is slow to answer for the first time holds up no search. */
  private async knownTo(caller: TokenPrincipal): Promise<ToolView> {
    const { views, catalogue } = this.deps;
    const waiting = catalogue.ready(views.serversOf(caller));
    if (waiting && views.of(caller).open.size === 0) await waiting;
    return views.of(caller);
  }

  private leftOut(caller: TokenPrincipal): string[] {
    const { views, catalogue } = this.deps;
    const isLeftOut = (server: ToolServer): boolean => server.active && !catalogue.isKnown(server);
    return views
      .serversOf(caller)
      .filter(isLeftOut)
      .map(({ slug }) => slug);
  }

  /** An empty list that only says that nothing answered would pass for "there are no tools". */
  private mustNotBeAllDown(caller: TokenPrincipal, view: ToolView): void {
    if (view.open.size > 0) return;
    const { views, catalogue } = this.deps;
    const active = views.serversOf(caller).filter((server) => server.active);
    if (active.length === 0 || active.some((server) => catalogue.isKnown(server))) return;
    const reasons = active.map(
      (server) => `${server.slug}: ${catalogue.failureOf(server)?.message ?? "no answer yet."}`,
    );
    throw new GuardError("upstream_error", `None of your tool servers listed its tools. ${reasons.join(" ")}`);
  }

  /** Throws `tool_not_found`: for what does not exist and for what is not the caller's, in the same words. */
  private async find(call: GuardedCall, caller: TokenPrincipal, name: string, request: CallRequest): Promise<OpenTool> {
    const { views, catalogue } = this.deps;
    let view = views.of(caller);
    const slug = name.slice(0, Math.max(0, name.indexOf("__")));
    const server = views.serversOf(caller).find((candidate) => candidate.slug === slug);
    // A look that is due happens beside the call, unless nothing is known of the server yet.
    const waiting = server ? catalogue.ready([server]) : null;
    if (waiting) {
      await waiting;
      view = views.of(caller);
    }
    const open = view.open.get(name);
    const found = open ?? view.hidden.get(name);
    call.context.tool = found
      ? {
          dialect: request.dialect,
          allowlist_revision: view.revision,
          server: found.server.slug,
          server_id: found.server.id,
          tool: found.pin.tool,
          name,
          denied_by: "layer" in found ? found.layer : null,
          is_error: null,
          listed: null,
        }
      : { ...this.facts(request, view), denied_by: "unknown" };
    if (open) return open;
    const { effective } = call.context.rules;
    const denial = found && holdingOf(effective, toolDenials(effective, name));
    // On record only: unknown and forbidden look alike to the caller.
    if (denial && GOVERNED_LAYERS.has(call.context.tool.denied_by)) call.record.deny(denial);
    throw new GuardError(
      "tool_not_found",
      this.deps.hasWhoami
        ? `There is no such tool for you. List the tools, or call ${WHOAMI} to learn what may be hidden.`
        : "There is no such tool for you. List the tools.",
      { param: "params.name" },
    );
  }

  private pass(
    call: GuardedCall,
    caller: TokenPrincipal,
    passage: { tool: OpenTool; params: CallParams; request: CallRequest; deadline: CallDeadline },
  ): Promise<CallAnswer> {
    const { connections, limits } = this.deps;
    const { tool, params } = passage;
    const { server, pin } = tool;
    const governed = new GovernedToolCall(call, caller, params, this.deps);
    const toolCall = new ToolCall(call, {
      ...passage,
      slug: server.slug,
      shown: (result) => withPublicLinks(result, server.slug),
      jsonDepth: limits.jsonDepth,
      silenceMs: server.call_ms ?? limits.callMs,
      governed,
      scanBatcher: this.scanBatcher,
      pin,
      asking: { caller, server, subject: [pin.tool], needs: this.deps.questions },
      send: (leg, extra) => {
        const { arguments: given } = params;
        const { inputSchema } = tool.definition;
        const named = { name: pin.tool, arguments: given, extra, inputSchema, isTask: tool.isTask };
        return connections.call(server, { ...leg, ...named });
      },
    });
    return toolCall.run();
  }

  private async whoami(call: GuardedCall, caller: TokenPrincipal, request: CallRequest): Promise<CallAnswer> {
    const view = await this.viewOf(caller);
    const result = whoami(caller, view, this.statesFor(caller));
    call.context.tool = {
      ...this.facts(request, view),
      ...ownTool(WHOAMI),
      is_error: false,
    };
    await call.record.finish("answered", 200);
    return { kind: "result", result, note: noteOf(call) };
  }

  /** The query is scanned as any tool's arguments are. What is found are approved definitions, as a list has them. */
  private async search(
    call: GuardedCall,
    caller: TokenPrincipal,
    request: CallRequest,
    params: CallParams,
  ): Promise<CallAnswer> {
    const asked = queryOf(params.arguments);
    const view = await this.knownTo(caller);
    const facts = { ...this.facts(request, view), ...ownTool(SEARCH_TOOLS) };
    call.context.tool = facts;
    try {
      call.gate.judgeTrace();
      await call.gate.attachConversation(request.conversation);
      await new GovernedToolCall(call, caller, params, this.deps).reserve();
      await call.gate.scan(params.texts, "input");
    } catch (error) {
      if (error instanceof GuardError && error.code === "content_filter") return blockedAnswer(call, error);
      throw error;
    }
    const { result, listed } = await search(this.searchIndex, view, asked, slices.begin());
    call.context.tool = { ...facts, is_error: false, listed };
    await call.record.finish("answered", 200);
    return { kind: "result", result, note: noteOf(call) };
  }

  private statesFor(caller: TokenPrincipal): ServerState[] {
    const { views, catalogue } = this.deps;
    return views.serversOf(caller).map((server) => ({
      slug: server.slug,
      status: server.active ? (catalogue.failureOf(server)?.reason ?? "ok") : "inactive",
    }));
  }
}
