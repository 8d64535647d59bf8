import { GuardError } from "#core/errors";
import type { JsonRecord } from "#core/json/json";
import type { ModelApi } from "#guard/apis/api";
import type { CallContext } from "#guard/call-context";
import type { Dispatcher } from "#guard/dispatcher";
import type { KeptItems } from "#guard/kept-items";
import type { ResponseIds } from "#guard/response-ids";
import type { TokenPrincipal } from "#model/principal";
import { type Pause, runSteps, runStepsSliced } from "#platform/slices";

type ProviderStateNeeds = {
  readonly responseIds: ResponseIds;
  readonly keptItems: KeptItems;
  readonly dispatcher: Pick<Dispatcher, "route" | "all">;
};

type Reasoning = { readonly id: string; readonly param: string };

/** A call, as far as what its provider keeps is concerned. */
type Stating = {
  readonly context: Pick<CallContext, "provider" | "keptAt" | "keeper">;
  readonly caller: TokenPrincipal;
  readonly api: ModelApi;
};

/**
 * What providers keep, under ids of the hub's: requests name only what was answered to the same caller through the hub,
 * and answers say ids that only that caller can use.
 */
export class ProviderState {
  constructor(private readonly deps: ProviderStateNeeds) {}

  /**
   * Puts the provider's own id in place of the one the caller was given, and has the call go to the provider that keeps
   * what it names. Step by step. Throws `not_found` for any other id.
   */
  *entering(call: Stating, body: JsonRecord): Generator<undefined, void> {
    const reasoning: Reasoning[] = [];
    for (const kept of call.api.request.keptState?.(body) ?? []) {
      yield;
      if (kept === null) continue;
      const { param } = kept;
      if (kept.kind === "reasoning") reasoning.push(kept);
      else if (kept.kind === "item")
        this.goesTo(call, this.deps.keptItems.providerOf(call.caller, kept.id), param, body);
      else if (kept.kind !== "background") {
        const response = kept.kind === "response" ? this.keptAt(call.caller, body[param]) : null;
        this.goesTo(call, response?.provider ?? null, param, body);
        call.context.keptAt = response;
        body[param] = response?.id;
      }
    }
    // Last: a conversation that is sent whole may have reasoning of several providers.
    for (const one of reasoning) {
      yield;
      this.staysWith(call, one, body);
    }
  }

  /** Reasoning goes to the provider that made it, where that is known. Throws `not_found` for that of others. */
  private staysWith({ context, caller, api }: Stating, { id, param }: Reasoning, body: JsonRecord): void {
    if (this.deps.keptItems.isOthers(caller, id)) throw notFound(param);
    const provider = this.deps.keptItems.providerOf(caller, id);
    if (context.keeper === null && provider !== null && this.serves(provider, api, body)) context.keeper = provider;
  }

  /** One call goes to one provider. Throws `not_found`. */
  private goesTo({ context, api }: Stating, provider: string | null, param: string, body: JsonRecord): void {
    const isElsewhere = context.keeper !== null && context.keeper !== provider;
    if (provider === null || isElsewhere || !this.serves(provider, api, body)) throw notFound(param);
    context.keeper = provider;
  }

  /** The same for a response that is asked for by itself. Throws `not_found`. */
  enterAt({ context, caller, api }: Stating, own: string): string {
    const kept = this.keptAt(caller, own);
    const isThere =
      kept !== null &&
      this.deps.dispatcher.all().some(({ name, apis }) => name === kept.provider && apis.has(api.name));
    if (!isThere) throw notFound("response_id");
    context.keptAt = kept;
    context.keeper = kept.provider;
    return kept.id;
  }

  private keptAt(caller: TokenPrincipal, own: unknown): CallContext["keptAt"] {
    const kept = typeof own === "string" ? this.deps.responseIds.read(caller, own) : null;
    return kept && typeof own === "string" ? { ...kept, own } : null;
  }

  private serves(provider: string, { name: api, request }: ModelApi, body: JsonRecord): boolean {
    return this.deps.dispatcher.route(request.modelOf(body), api).some(({ name }) => name === provider);
  }

  /** Puts ids for the caller in place of the provider's own, in an answer or an event; true where there were any. */
  leave(call: Stating, said: JsonRecord): boolean {
    runSteps(this.noting(call, said));
    return this.renamed(call, said);
  }

  /** The same in slices, of an answer that may have many items. */
  async leaveInSlices(call: Stating, said: JsonRecord, pause: Pause): Promise<boolean> {
    await runStepsSliced(this.noting(call, said), pause);
    return this.renamed(call, said);
  }

  private *noting({ context: { provider }, caller, api }: Stating, said: JsonRecord): Generator<undefined, void> {
    const ids = api.answer.itemIds?.(said);
    if (provider !== null && ids) yield* this.deps.keptItems.noteAll(caller, provider, ids);
  }

  private renamed({ context, caller, api }: Stating, said: JsonRecord): boolean {
    const { provider, keptAt } = context;
    let isChanged = false;
    for (const { holder, key } of api.answer.keptIds?.(said) ?? []) {
      const id = holder[key];
      if (typeof id !== "string" || provider === null) continue;
      holder[key] = id === keptAt?.id ? keptAt.own : this.deps.responseIds.give(caller, { provider, id });
      isChanged = true;
    }
    return isChanged;
  }

  /** The same for a provider's own words about a request. */
  leaveText({ keptAt }: Stating["context"], text: string): string {
    return keptAt === null ? text : text.replaceAll(keptAt.id, keptAt.own);
  }
}

const notFound = (param: string): GuardError =>
  new GuardError(
    "not_found",
    "Nothing with this id was answered to this caller. Send the whole conversation in `input`.",
    { param },
  );
