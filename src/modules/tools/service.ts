import type { Caller } from "#core/caller";
import { GuardError } from "#core/errors";
import { holdingOf, toolDenials } from "#core/profile/permits";
import type { ToolFacts } from "#core/tool-facts";
import { CallLife } from "#engine/call-life";
import type { Conversations } from "#engine/conversations";
import type { CallJudge } from "#engine/governance/call-judge";
import type { Limiter } from "#engine/governance/limiter";
import { type GuardDeps, GuardedCall } from "#engine/guarded-call";
import type { Heartbeat } from "#engine/heartbeat";
import type { ToolCatalogue } from "#engine/tools/catalogue";
import type { ToolConnections } from "#engine/tools/connections";
import type { ToolRoster } from "#engine/tools/roster";
import type { OpenTool, ToolView, ToolViews } from "#engine/tools/view";
import { GovernedToolCall } from "#modules/tools/governed";
import { type CallParams, callParams } from "#modules/tools/params";
import type {
  CallAnswer,
  CallRequest,
  ListAnswer,
  ListRequest,
  ToolNote,
  ToolRequest,
  Tools,
  ToolWatch,
} from "#modules/tools/port";
import { ToolCall } from "#modules/tools/tool-call";
import { type ServerState, WHOAMI, whoami } from "#modules/tools/whoami";

export type ToolLimits = {
  readonly jsonDepth: number;
  /** The whole call, in milliseconds. */
  readonly totalMs: number;
  /** Longest silence of a call where its server has no limit of its own, in milliseconds. */
  readonly callMs: number;
};

type Deps = {
  readonly guard: GuardDeps;
  readonly heartbeat: Heartbeat;
  readonly roster: ToolRoster;
  readonly views: ToolViews;
  readonly catalogue: ToolCatalogue;
  readonly connections: ToolConnections;
  readonly limits: ToolLimits;
  readonly limiter: Limiter;
  readonly calls: CallJudge;
  readonly conversations: Conversations;
  /** Whether the hub's own tool is there. */
  readonly hasWhoami: boolean;
};

const NO_FACTS = {
  server: null,
  server_id: null,
  tool: null,
  name: null,
  denied_by: null,
  is_error: null,
  listed: null,
} as const;

/** Layers that a profile or a restriction stands behind. */
const GOVERNED_LAYERS: ReadonlySet<ToolFacts["denied_by"]> = new Set(["profile", "restriction"]);

/** Lists and calls the tools of all of a caller's servers. What is listed can be called and nothing else can. */
export class ToolService implements Tools {
  constructor(private readonly deps: Deps) {}

  async list(caller: Caller, request: ListRequest): Promise<ListAnswer> {
    this.deps.guard.auditor.admit();
    const call = this.begin(caller, "tool.list", request);
    try {
      call.mustRun();
      const view = await this.viewOf(caller);
      this.mustNotBeAllDown(caller, view);
      call.tool = { ...this.facts(request, view), listed: view.open.size };
      await call.finish("answered", 200);
      return { toolsJson: view.json, note: noteOf(call) };
    } catch (error) {
      throw await call.fail(error);
    }
  }

  async call(caller: Caller, request: CallRequest): Promise<CallAnswer> {
    this.deps.guard.auditor.admit();
    const call = this.begin(caller, "tool.call", request);
    const { heartbeat, limits } = this.deps;
    const life = new CallLife({
      client: request.signal,
      heartbeat,
      totalMs: limits.totalMs,
      onBeat: () => call.beat(),
      stopped: () => call.stopped(),
      subject: () => call.subject,
    });
    call.signal = () => life.signal;
    try {
      call.mustRun();
      const taken = callParams(request.params, limits.jsonDepth);
      const params = taken instanceof Promise ? await taken : taken;
      if (params.name === WHOAMI && this.deps.hasWhoami) return await this.whoami(call, caller, request);
      const tool = await this.find(call, caller, params.name, request);
      // Now that its server is known.
      call.mustRun();
      request.checkTool?.(tool.definition, params.arguments);
      return await this.pass(call, caller, { tool, params, request, life });
    } catch (error) {
      throw await call.fail(life.explain(error));
    } finally {
      life.end();
    }
  }

  watch(caller: Caller, onChange: () => void): ToolWatch {
    let last = this.deps.views.of(caller).json;
    let latest = caller;
    const look = () => {
      const { json } = this.deps.views.of(latest);
      if (json === last) return;
      last = json;
      onChange();
    };
    const lookAs = (now: Caller) => {
      latest = now;
      look();
    };
    return { lookAs, end: this.deps.roster.onChange(look) };
  }

  private begin(caller: Caller, kind: string, request: ToolRequest): GuardedCall {
    const call = new GuardedCall(this.deps.guard, caller, kind, request.id);
    call.tool = this.facts(request, this.deps.roster);
    return call;
  }

  private facts({ dialect }: ToolRequest, { revision }: Pick<ToolView, "revision">): ToolFacts {
    return { dialect, allowlist_revision: revision, ...NO_FACTS };
  }

  /** What the caller may use, once every server it could have tools of has told its own or had its time. */
  private async viewOf(caller: Caller): Promise<ToolView> {
    const { views, catalogue } = this.deps;
    const waiting = catalogue.ready(views.serversOf(caller));
    if (waiting) await waiting;
    return views.of(caller);
  }

  /** An empty list that only says that nothing answered would pass for "there are no tools". */
  private mustNotBeAllDown(caller: Caller, view: ToolView): void {
    if (view.open.size > 0) return;
    const { views, catalogue } = this.deps;
    const active = views.serversOf(caller).filter((server) => server.active);
    if (active.length === 0 || active.some((server) => catalogue.isKnown(server))) return;
    const reasons = active.map(
      (server) => `${server.slug}: ${catalogue.failureOf(server)?.message ?? "no answer yet."}`,
    );
    throw new GuardError("upstream_error", `None of your tool servers has told its tools. ${reasons.join(" ")}`);
  }

  /** Throws `tool_not_found`: for what does not exist and for what is not the caller's, in the same words. */
  private async find(call: GuardedCall, caller: Caller, name: string, request: CallRequest): Promise<OpenTool> {
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
    call.tool = found
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
    const denial = found && holdingOf(call.rules.effective, toolDenials(call.rules.effective, name));
    // On record only: unknown and forbidden look alike to the caller.
    if (denial && GOVERNED_LAYERS.has(call.tool.denied_by)) call.deny(denial);
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
    caller: Caller,
    passage: { tool: OpenTool; params: CallParams; request: CallRequest; life: CallLife },
  ): Promise<CallAnswer> {
    const { connections, limits } = this.deps;
    const { server } = passage.tool;
    const governed = new GovernedToolCall(call, caller, passage.params, this.deps);
    const toolCall = new ToolCall(call, {
      ...passage,
      jsonDepth: limits.jsonDepth,
      silenceMs: server.call_ms ?? limits.callMs,
      governed,
      send: (outgoing) => connections.call(server, outgoing),
    });
    return toolCall.run();
  }

  private async whoami(call: GuardedCall, caller: Caller, request: CallRequest): Promise<CallAnswer> {
    const view = await this.viewOf(caller);
    const result = whoami(caller, view, this.statesFor(caller));
    call.tool = { ...this.facts(request, view), server: "guardhouse", tool: "whoami", name: WHOAMI, is_error: false };
    await call.finish("answered", 200);
    return { kind: "result", result, note: noteOf(call) };
  }

  private statesFor(caller: Caller): ServerState[] {
    const { views, catalogue } = this.deps;
    return views.serversOf(caller).map((server) => ({
      slug: server.slug,
      status: server.active ? (catalogue.failureOf(server)?.reason ?? "ok") : "inactive",
    }));
  }
}

export const noteOf = (call: GuardedCall): ToolNote => ({
  action: call.guardAction,
  eventId: call.eventId,
  overheadMs: call.overheadMs,
});
