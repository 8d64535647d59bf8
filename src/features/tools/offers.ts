import { GuardError } from "#core/errors";
import { isRecord, type JsonRecord } from "#core/json/json";
import { deadlineOf } from "#features/tools/deadline";
import type {
  CallAnswer,
  ListRequest,
  OfferedKind,
  OfferRequest,
  Offers,
  OffersAnswer,
  ToolNews,
  ToolNote,
  ToolWatch,
} from "#features/tools/dialect/port";
import { GovernedToolCall } from "#features/tools/governed";
import { paramsOf } from "#features/tools/params";
import type { ToolServiceNeeds } from "#features/tools/service";
import { noteOf, ToolCall, type ToolLeg } from "#features/tools/tool-call";
import { subjectOf } from "#guard/enforcement/policy-resolver";
import { beginCall, type GuardedCall } from "#guard/guarded-call";
import { ScanBatcher } from "#guard/scan-batcher";
import type { Offer, OfferView, ToolView } from "#guard/tools/view";
import type { ToolFacts } from "#model/audit";
import type { TokenPrincipal } from "#model/principal";
import type { CompleteRequestParams, ReadResourceRequestParams, Unchecked } from "#model/tools/mcp-types";
import { hasDotSegment, isOfTemplate, mayHaveSpaces, publicUri, serverUri } from "#model/tools/resource-uri";
import { withPublicContents, withPublicMessages } from "#model/tools/result-uris";
import type { ToolServer } from "#model/tools/tool";
import type { OfferKind, ToolLayer } from "#model/tools/tool-scope";
import { sha256Hex } from "#platform/hash";
import { sortedSliced } from "#platform/sliced-sort";
import { slices } from "#platform/slices";
import { holdingOf, offerDenials } from "#policy/profile/permits";
import { ToolFailure, type UpstreamToolAnswer } from "#upstream/tool-port";
import { Subscriptions } from "./dialect/subscriptions";
import { Looks } from "./looks";
import { type ListedEntry, pageOfEntries } from "./offer-pages";
import { MAX_WATCHED_OF_TOKEN, PermittedWatch } from "./permitted-watch";
import { facts } from "./tool-facts";

/** What a request is for, once it is known whose it is. */
type Target = {
  readonly kind: OfferKind;
  readonly server: ToolServer;
  /** As the record names it: the server's own name, and the public one. Never what a caller filled in. */
  readonly own: string | null;
  readonly name: string;
  /** The server's own name or URI of just this. */
  readonly id: string;
  /** The layer that hides it; null for the caller's. */
  readonly layer: ToolLayer | null;
};

/** How a request goes on to its server. */
type Outgoing = {
  readonly target: Target;
  readonly method: "resources/read" | "resources/subscribe" | "prompts/get" | "completion/complete";
  /** With the server's own names; scanned, and sent as it is then. */
  readonly params: JsonRecord;
  /** Throws when what is sent after the scan is not the caller's. */
  readonly check: (params: JsonRecord) => void;
  readonly shown: (result: JsonRecord) => JsonRecord;
  /** Instead of the request to the server. */
  readonly send?: (leg: ToolLeg) => Promise<UpstreamToolAnswer>;
};

/** Whose servers may ask the user before they answer (2026-07-28, multi round-trip requests). */
const ASKING: ReadonlySet<Outgoing["method"]> = new Set(["resources/read", "prompts/get"]);

const KINDS = {
  "resources/list": { kind: "resource.list", field: "resources" },
  "resources/templates/list": { kind: "resource.templates", field: "resourceTemplates" },
  "prompts/list": { kind: "prompt.list", field: "prompts" },
} as const;

/**
 * What servers offer beside tools: resources, resource templates, prompts, and the completion of their arguments. It
 * passes the same layers, limits, scan and record as the call of a tool.
 */
export class OfferService implements Offers {
  private readonly scanBatcher: ScanBatcher;
  private readonly looks = new Looks();
  private readonly watched = new Subscriptions(MAX_WATCHED_OF_TOKEN);
  /** Sorted entries of views, as long as nothing changes. */
  private readonly resources = new WeakMap<
    ToolView,
    { readonly versions: string; readonly entries: Promise<readonly ListedEntry[]> }
  >();
  private readonly sorted = new WeakMap<OfferView, ListedEntry[]>();
  private readonly stamps = new WeakMap<OfferView, string>();

  constructor(private readonly deps: ToolServiceNeeds) {
    this.scanBatcher = new ScanBatcher(deps.openCalls);
  }

  async list(caller: TokenPrincipal, request: ListRequest & Pick<OfferRequest, "params">, method: keyof typeof KINDS) {
    this.deps.guard.auditor.assertAcceptingWork();
    const { kind, field } = KINDS[method];
    const call = this.begin(caller, kind, request);
    try {
      call.gate.assertNotStopped();
      const entries = await this.entriesOf(caller, method);
      const page = pageOfEntries(entries, isRecord(request.params) ? request.params["cursor"] : undefined);
      call.context.tool = { ...facts(request, this.deps.views.of(caller)), listed: page.items.length };
      await call.record.finish("answered", 200);
      return { field, items: page.items, nextCursor: page.next, note: noteOf(call) } satisfies OffersAnswer;
    } catch (error) {
      throw await call.record.fail(error);
    }
  }

  async read(caller: TokenPrincipal, request: OfferRequest): Promise<CallAnswer> {
    return this.pass(caller, request, "resource.read", async (params) => {
      const { uri }: Unchecked<ReadResourceRequestParams> = params;
      if (typeof uri !== "string") throw invalid("params.uri", "must be a URI, as resources/list gives it");
      const { server, own, layerOf, target } = await this.resource(caller, uri);
      return {
        target,
        method: "resources/read",
        params: { ...params, uri: own },
        check: (sent) => {
          if (sent["uri"] !== own && layerOf(String(sent["uri"])) !== null) throw nothing("resource", "params.uri");
        },
        shown: (result) => withPublicContents(result, server.slug),
      };
    });
  }

  async prompt(caller: TokenPrincipal, request: OfferRequest): Promise<CallAnswer> {
    return this.pass(caller, request, "prompt.get", async (params) => {
      const { name } = params;
      if (typeof name !== "string")
        throw invalid("params.name", "must be the name of a prompt, as prompts/list gives it");
      const { offer, target } = await this.offer(caller, "prompt", name);
      const own = offer.pin.tool;
      return {
        target,
        method: "prompts/get",
        params: { ...params, name: own },
        check: (sent) => {
          if (sent["name"] !== own) throw nothing("prompt", "params.name");
        },
        shown: (result) => withPublicMessages(result, offer.server.slug),
      };
    });
  }

  async complete(caller: TokenPrincipal, request: OfferRequest): Promise<CallAnswer> {
    const asked: Unchecked<CompleteRequestParams> = isRecord(request.params) ? request.params : {};
    const isPrompt = isRecord(asked.ref) && asked.ref["type"] === "ref/prompt";
    return this.pass(caller, request, isPrompt ? "prompt.complete" : "resource.complete", async (params) => {
      const { ref } = params;
      const said = isRecord(ref) ? ref : {};
      const field = isPrompt ? "name" : "uri";
      const name = said[field];
      if (typeof name !== "string" || (!isPrompt && said["type"] !== "ref/resource")) {
        throw invalid("params.ref", "must be of type ref/prompt with a name, or ref/resource with a URI template");
      }
      const { offer, target } = await this.offer(caller, isPrompt ? "prompt" : "template", name);
      const own = offer.pin.tool;
      return {
        target,
        method: "completion/complete",
        params: { ...params, ref: { ...said, [field]: own } },
        check: (sent) => {
          if (!isRecord(sent["ref"]) || sent["ref"][field] !== own) throw nothing(target.kind, "params.ref");
        },
        shown: (result) => result,
      };
    });
  }

  async subscribe(caller: TokenPrincipal, request: OfferRequest, news: ToolNews) {
    const begun: PermittedWatch[] = [];
    try {
      const { note } = await this.pass(caller, request, "resource.subscribe", async (params) => {
        const { uri }: Unchecked<ReadResourceRequestParams> = params;
        if (typeof uri !== "string") throw invalid("params.uri", "must be a URI, as resources/list gives it");
        const { server, own, target } = await this.resource(caller, uri);
        return {
          target,
          method: "resources/subscribe",
          params: { uri: own },
          // What is watched is what was scanned, to the letter.
          check: (sent) => {
            if (sent["uri"] !== own) throw nothing("resource", "params.uri");
          },
          shown: (result) => result,
          send: async ({ signal }) => {
            const { looks, watched: open } = this;
            const parts = { ...this.deps, policyResolver: this.deps.guard.policyResolver, looks, open };
            begun.push(await PermittedWatch.begin(parts, caller, { server, own, uri }, signal, news));
            return { kind: "result", result: {} };
          },
        };
      });
      const [watch] = begun;
      if (!watch || watch.isEnded) throw new GuardError("upstream_error", "The resource is not watched.");
      return { watch, note };
    } catch (error) {
      // Its call failed after that: nobody else would end it.
      for (const watch of begun) watch.end();
      throw error;
    }
  }

  async unsubscribe(caller: TokenPrincipal, request: OfferRequest): Promise<ToolNote> {
    this.deps.guard.auditor.assertAcceptingWork();
    const call = this.begin(caller, "resource.unsubscribe", request);
    await call.record.finish("answered", 200);
    return noteOf(call);
  }

  isStopped(caller: TokenPrincipal): boolean {
    return this.deps.guard.policyResolver.stopOf({ ...subjectOf(caller), model: null, server_id: null }) !== null;
  }

  /** The resource's server and own URI, and who hides it. Throws `not_found` for a URI that can be nobody's. */
  async resource(caller: TokenPrincipal, uri: string) {
    const { views, catalogue } = this.deps;
    const known = serverUri(uri);
    const server = known && views.serversOf(caller).find(({ slug }) => slug === known.slug);
    if (!known || !server) throw nothing("resource", "params.uri");
    const waiting = catalogue.ready([server]);
    if (waiting) await waiting;
    const layerOf = (own: string): ToolLayer | "unknown" | null =>
      hasDotSegment(own) ? "unknown" : views.resourceScope(caller, server)(own);
    const own = mayHaveSpaces(known.uri) ? await this.asListed(server, uri, known.uri) : known.uri;
    const layer = layerOf(own);
    const named = this.recordName(server, own);
    const target: Target = { kind: "resource", server, ...named, id: own, layer: layer === "unknown" ? null : layer };
    if (layer === "unknown") throw nothing("resource", "params.uri");
    return { server, own, layerOf, target };
  }

  /** The server's own URI of what it lists with spaces; else `own`. */
  private async asListed(server: ToolServer, uri: string, own: string): Promise<string> {
    const { resourceLists } = this.deps;
    await resourceLists.ready([server]);
    const listed = resourceLists.of(server).filter(({ publicUri: shown }) => shown === uri);
    return listed.find((one) => one.uri === own)?.uri ?? listed[0]?.uri ?? own;
  }

  private async offer(caller: TokenPrincipal, kind: "prompt" | "template", name: string) {
    const { views, catalogue } = this.deps;
    const slug = kind === "prompt" ? name.slice(0, Math.max(0, name.indexOf("__"))) : serverUri(name)?.slug;
    const server = views.serversOf(caller).find((candidate) => candidate.slug === slug);
    const waiting = server ? catalogue.ready([server]) : null;
    if (waiting) await waiting;
    const view = views.of(caller)[kind === "prompt" ? "prompts" : "templates"];
    const hidden = view.hidden.get(name);
    const offer: Offer | undefined = view.open.get(name) ?? hidden;
    if (!offer) throw nothing(kind, kind === "prompt" ? "params.name" : "params.ref");
    const own = offer.pin.tool;
    const target: Target = { kind, server: offer.server, own, name, id: own, layer: hidden?.layer ?? null };
    return { offer, target };
  }

  /**
   * A URI may hold what the caller filled in: the record has it where the server lists it, else the template it is of,
   * else only its scheme.
   */
  private recordName(server: ToolServer, uri: string): Pick<Target, "own" | "name"> {
    const { resourceLists, toolRegistry } = this.deps;
    if (resourceLists.of(server).some((one) => one.uri === uri)) return { own: uri, name: publicUri(server.slug, uri) };
    const template = toolRegistry.pinsOf(server.id, "template").find(({ tool }) => isOfTemplate(tool, uri));
    if (template) return { own: template.tool, name: template.name };
    const scheme = /^[A-Za-z][A-Za-z0-9+.-]{0,31}:/.exec(uri)?.[0] ?? "";
    return { own: null, name: `${publicUri(server.slug, scheme)}…` };
  }

  private async pass(
    caller: TokenPrincipal,
    request: OfferRequest,
    kind: string,
    outgoingOf: (params: JsonRecord) => Promise<Outgoing>,
  ): Promise<CallAnswer> {
    this.deps.guard.auditor.assertAcceptingWork();
    const call = this.begin(caller, kind, request);
    const { openCalls, limits, connections, questions } = this.deps;
    const deadline = deadlineOf(call, { client: request.signal, openCalls, totalMs: limits.totalMs });
    try {
      call.gate.assertNotStopped();
      const given = isRecord(request.params) ? request.params : null;
      if (!given) throw invalid("params", "must be an object");
      const outgoing = await this.permitted(call, caller, request, await this.known(call, request, outgoingOf, given));
      const { target, method, check } = outgoing;
      call.gate.assertNotStopped();
      const taken = paramsOf(target.name, outgoing.params, limits.jsonDepth);
      const params = taken instanceof Promise ? await taken : taken;
      const denials = offerDenials(call.context.rules.effective, { ...target, slug: target.server.slug });
      const governed = new GovernedToolCall(call, caller, params, this.deps, { denials });
      const { server } = target;
      const isAsking = ASKING.has(method);
      connections.touch(server);
      const passage = new ToolCall(call, {
        slug: server.slug,
        params,
        request: isAsking ? request : { ...request, clientCapabilities: unaskable(request.clientCapabilities) },
        deadline,
        jsonDepth: limits.jsonDepth,
        silenceMs: server.call_ms ?? limits.callMs,
        governed,
        scanBatcher: this.scanBatcher,
        shown: outgoing.shown,
        pin: null,
        asking: isAsking ? { caller, server, subject: [method, target.id], needs: questions } : null,
        send: (leg: ToolLeg, extra: JsonRecord) => {
          check(params.arguments);
          if (outgoing.send) return outgoing.send(leg);
          return connections.ask(server, { ...leg, method, params: { ...params.arguments, ...extra } });
        },
      });
      return await passage.answer();
    } catch (error) {
      throw await call.record.fail(asGuardError(deadline.explain(error)));
    } finally {
      deadline.end();
    }
  }

  /** Throws `not_found` with the record saying so. */
  private async known(
    call: GuardedCall,
    request: OfferRequest,
    outgoingOf: (params: JsonRecord) => Promise<Outgoing>,
    params: JsonRecord,
  ): Promise<Outgoing> {
    try {
      return await outgoingOf(params);
    } catch (error) {
      if (error instanceof GuardError && error.code === "not_found") {
        call.context.tool = { ...facts(request, this.deps.toolRegistry), denied_by: "unknown" };
      }
      throw error;
    }
  }

  /** Unknown and forbidden look alike to the caller; the record says which layer it was. Throws `not_found`. */
  private async permitted(
    call: GuardedCall,
    caller: TokenPrincipal,
    request: OfferRequest,
    outgoing: Outgoing,
  ): Promise<Outgoing> {
    const { kind, server, own, name, layer } = outgoing.target;
    const named: ToolFacts = {
      ...facts(request, this.deps.views.of(caller)),
      ...{ server: server.slug, server_id: server.id, tool: own, name, denied_by: layer },
    };
    call.context.tool = named;
    if (layer === null) return outgoing;
    const { effective } = call.context.rules;
    const denial = holdingOf(effective, offerDenials(effective, { kind, slug: server.slug, name }));
    if (denial && (layer === "profile" || layer === "restriction")) call.record.deny(denial);
    throw nothing(kind, kind === "resource" ? "params.uri" : "params.name");
  }

  private begin(caller: TokenPrincipal, kind: string, request: ListRequest): GuardedCall {
    const call = beginCall(this.deps.guard, { caller, kind, id: request.id }, request.callerTrace);
    call.context.tool = facts(request, this.deps.toolRegistry);
    return call;
  }

  watch(caller: TokenPrincipal, kind: OfferedKind, onChange: () => void): ToolWatch {
    const { toolRegistry, resourceLists } = this.deps;
    let last = this.stampOf(caller, kind);
    const look = this.looks.begin(caller, (now) => {
      const stamp = this.stampOf(now, kind);
      if (stamp === last) return;
      last = stamp;
      onChange();
    });
    const stops = [toolRegistry.onChange(look.ask), resourceLists.onChange(look.ask), look.end];
    return {
      lookAs: look.lookAs,
      end: () => {
        for (const stop of stops) stop();
      },
    };
  }

  /** Differs when what the caller is listed differs. Asked for at every look: what is long is kept by view. */
  private stampOf(caller: TokenPrincipal, kind: OfferedKind): string {
    const { views } = this.deps;
    const view = views.of(caller)[kind === "prompts" ? "prompts" : "templates"];
    const pinned = this.stamps.get(view) ?? pinsStamp(view);
    this.stamps.set(view, pinned);
    return kind === "prompts" ? pinned : `${pinned} ${this.versionsOf(views.serversOf(caller))}`;
  }

  /** Differs when a list of resources of these servers does. */
  private versionsOf(servers: readonly ToolServer[]): string {
    const { resourceLists } = this.deps;
    return servers.map((one) => `${one.id} ${one.active} ${resourceLists.versionOf(one)}`).join();
  }

  private async entriesOf(caller: TokenPrincipal, method: keyof typeof KINDS): Promise<readonly ListedEntry[]> {
    const { views, catalogue } = this.deps;
    const servers = views.serversOf(caller);
    const waiting = catalogue.ready(servers);
    if (waiting) await waiting;
    if (method === "resources/list") return this.resourcesOf(caller, servers);
    const view = views.of(caller)[method === "prompts/list" ? "prompts" : "templates"];
    const known = this.sorted.get(view);
    if (known) return known;
    const entries = [...view.open].map(([key, { pin, server }]) => ({
      key,
      json: this.deps.toolRegistry.offerJson(pin, server.slug),
    }));
    this.sorted.set(view, entries.sort(byKey));
    return entries;
  }

  private async resourcesOf(caller: TokenPrincipal, servers: readonly ToolServer[]): Promise<readonly ListedEntry[]> {
    const { views, resourceLists } = this.deps;
    await resourceLists.ready(servers);
    const view = views.of(caller);
    const versions = this.versionsOf(servers);
    const known = this.resources.get(view);
    if (known?.versions === versions) return known.entries;
    const active = servers.filter((server) => server.active);
    const failed = active.filter((server) => resourceLists.failureOf(server));
    if (
      active.length > 0 &&
      failed.length === active.length &&
      active.every((one) => resourceLists.of(one).length === 0)
    ) {
      const reasons = failed.map((one) => `${one.slug}: ${resourceLists.failureOf(one)?.message ?? ""}`);
      throw new GuardError("upstream_error", `None of your tool servers listed its resources. ${reasons.join(" ")}`);
    }
    const entries = this.permittedOf(caller, servers);
    this.resources.set(view, { versions, entries });
    return entries;
  }

  /** Thousands of resources, each held against hundreds of patterns: in slices. */
  private async permittedOf(caller: TokenPrincipal, servers: readonly ToolServer[]): Promise<readonly ListedEntry[]> {
    const { views, resourceLists } = this.deps;
    const lists = servers.map((server) => ({
      layerOf: views.resourceScope(caller, server),
      resources: resourceLists.of(server),
    }));
    const pause = slices.begin();
    const entries: ListedEntry[] = [];
    for (const { layerOf, resources } of lists) {
      for (const { uri, publicUri: key, json } of resources) {
        const wait = pause();
        if (wait) await wait;
        if (layerOf(uri) === null) entries.push({ key, json });
      }
    }
    return sortedSliced(entries, byKey, pause);
  }
}

/** Differs when what is open differs. */
const pinsStamp = ({ open }: OfferView): string =>
  sha256Hex(JSON.stringify([...open].map(([name, { pin }]) => [name, pin.pinned_hash])));

/** What a server is told of a client that it may ask nothing. */
const unaskable = (capabilities: JsonRecord | null): JsonRecord | null => {
  const { elicitation: _elicitation, ...rest } = capabilities ?? {};
  return capabilities && rest;
};

const byKey = (one: ListedEntry, other: ListedEntry): number => (one.key < other.key ? -1 : 1);

const invalid = (param: string, problem: string): GuardError =>
  new GuardError("invalid_value", `${param} ${problem}.`, { param });

/** For what does not exist and for what is not the caller's, in the same words. */
const nothing = (kind: OfferKind, param: string): GuardError => {
  const word = kind === "template" ? "resource template" : kind;
  return new GuardError("not_found", `There is no such ${word} for you. List them to see what there is.`, { param });
};

/** A read has no result that says that it failed. */
const asGuardError = (error: unknown): unknown => {
  if (!(error instanceof ToolFailure)) return error;
  if (error.reason === "unauthorized") return new GuardError("upstream_auth_failed", error.message);
  return new GuardError(error.reason === "timeout" ? "upstream_timeout" : "upstream_error", error.message);
};
