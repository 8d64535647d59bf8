import { COMMANDS, commandLine } from "#core/command-line";
import { GuardError } from "#core/errors";
import { matchesGlob } from "#core/glob";
import { type JsonRecord, parseJson } from "#core/json/json";
import type { CallDeadline } from "#guard/call-deadline";
import { MODEL_APIS, type ModelApiName } from "#model/model-api";
import type { TraceHeaders } from "#model/trace-context";
import { type Provider, type UpstreamAnswer, UpstreamFailure, type UpstreamMethod } from "#upstream/port";

export type DispatchOptions = {
  /** Further tries at one provider after the first. */
  readonly retries: number;
  /** The first pause between tries; each further one doubles. Milliseconds. */
  readonly retryBaseMs: number;
  /** Calls that may be under way at one provider. */
  readonly maxConcurrent: number;
  /** Resolves after `ms`, or rejects with the signal's reason. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  /** 0 to 1, spreads the tries of many callers. */
  readonly random: () => number;
};

export type DispatchedCall = {
  readonly api: ModelApiName;
  /** `POST` if not said. */
  readonly method?: UpstreamMethod;
  /** At the provider, below its base URL. */
  readonly path: string;
  /** The serialised request. */
  readonly body: string;
  /** What `body` says. */
  readonly request: Readonly<JsonRecord>;
  /** What of the client's headers goes to the provider. */
  readonly headers: Readonly<Record<string, string>>;
  readonly model: string;
  readonly stream: boolean;
  readonly deadline: CallDeadline;
  /** Whether the last provider's words about its own failure, parsed, are the answer. Without it none are. */
  readonly showsFailure?: (body: unknown) => boolean;
  /** The trace that providers are told of; null for none. */
  readonly trace?: TraceHeaders | null;
  /** Only there, whatever models it says it serves; without one, whichever provider serves the model. */
  readonly provider?: string | null;
};

export type Dispatched = {
  readonly answer: UpstreamAnswer;
  readonly provider: string;
  /** Frees the provider's place; call it when the answer has been read. */
  readonly release: () => void;
};

/** A provider is asked now; `upstreamModel` is its own name of the model, null where it has no other. */
type OnAttempt = (provider: string, upstreamModel: string | null) => void;

/** A provider that asks for a longer pause than this is left for the next one. Milliseconds. */
const MAX_PAUSE_MS = 8_000;
/** Model names seen lately, so that globs are matched once a name. */
const MAX_ROUTES = 1_000;

/** Finds the providers of a model and sends a call to the first that answers, in order of priority. */
export class Dispatcher {
  private providers: readonly Provider[] = [];
  /** By API and model. */
  private routes = new Map<string, readonly Provider[]>();
  private readonly busy = new Map<string, number>();

  constructor(private readonly options: DispatchOptions) {}

  replace(providers: readonly Provider[]): void {
    this.providers = providers.toSorted((a, b) => a.priority - b.priority || (a.name < b.name ? -1 : 1));
    this.routes = new Map();
  }

  all(): readonly Provider[] {
    return this.providers;
  }

  /** Those that serve the model by an API, or by any; first choice first. */
  route(model: string, api: ModelApiName | null = null): readonly Provider[] {
    const key = `${api ?? ""} ${model}`;
    const known = this.routes.get(key);
    if (known) return known;
    const found = this.providers.filter(
      ({ apis, models }) => (api === null || apis.has(api)) && models.some((glob) => matchesGlob(glob, model)),
    );
    if (this.routes.size >= MAX_ROUTES) this.routes.clear();
    this.routes.set(key, found);
    return found;
  }

  private routeOf({ api, model, provider: named = null }: DispatchedCall): readonly Provider[] {
    if (named === null) return this.route(model, api);
    return this.providers.filter(({ name, apis }) => name === named && apis.has(api));
  }

  /** Says by which APIs the model is served, where that would help. */
  private notFound({ api, model }: DispatchedCall): GuardError {
    const others = MODEL_APIS.filter((other) => other !== api && this.route(model, other).length > 0);
    const message =
      others.length > 0
        ? `The model asked for is not served by this API (${api}); it is by: ${others.join(", ")}.`
        : NOT_FOUND;
    return new GuardError("model_not_found", message, { param: "model" });
  }

  /** Throws the last provider's `GuardError`, `model_not_found`, or the signal's reason. */
  async send(call: DispatchedCall, onAttempt: OnAttempt): Promise<Dispatched> {
    let last: UpstreamFailure | Dispatched | null = null;
    let lastName = "";
    for (const provider of inOrder(this.routeOf(call))) {
      const outcome: UpstreamFailure | Dispatched = await this.tries(provider, call, onAttempt);
      if (!(outcome instanceof UpstreamFailure) && !isUnknownThere(outcome)) return outcome;
      // Its answer has been read: the place is free for others.
      if (!(outcome instanceof UpstreamFailure)) outcome.release();
      last = outcome;
      lastName = provider.name;
    }
    if (last === null) throw this.notFound(call);
    if (!(last instanceof UpstreamFailure)) return last;
    if (last.said === null || !call.showsFailure?.(parseJson(last.said.text))) throw last.error;
    return { answer: { kind: "refused", ...last.said }, provider: lastName, release: NOTHING_HELD };
  }

  /** What one provider makes of the call, with retries; an error that the next provider may do better with is returned. */
  private async tries(
    provider: Provider,
    call: DispatchedCall,
    onAttempt: OnAttempt,
  ): Promise<Dispatched | UpstreamFailure> {
    const { name, upstream } = provider;
    const { api, method = "POST", path, body, request, headers, model, stream, deadline, trace = null } = call;
    for (let attempt = 0; ; attempt += 1) {
      let release = NOTHING_HELD;
      onAttempt(name, aliasOf(provider, model));
      try {
        release = this.enter(name);
        return {
          answer: await upstream.call({
            api,
            method,
            path,
            body,
            request,
            headers,
            model,
            stream,
            trace,
            attempt: deadline.attempt(),
          }),
          provider: name,
          release,
        };
      } catch (error) {
        release();
        // With the call over every failure is a consequence of that, whatever it looks like.
        if (!(error instanceof UpstreamFailure) || deadline.isOver) throw error;
        if (!error.retryable) throw error.error;
        const pause = this.pauseAfter(error, attempt);
        if (pause === null) return error;
        await this.options.sleep(pause, deadline.signal);
      }
    }
  }

  /** Takes a place at the provider; the returned function gives it back. Throws `UpstreamFailure` when there is none. */
  private enter(name: string): () => void {
    const busy = this.busy.get(name) ?? 0;
    if (busy >= this.options.maxConcurrent) {
      const full = new GuardError(
        "upstream_rate_limited",
        `The provider ${name} has ${busy} open calls, the limit set by upstream.max_concurrent. Retry later.`,
      );
      throw new UpstreamFailure(full, true, Number.POSITIVE_INFINITY);
    }
    this.busy.set(name, busy + 1);
    let held = true;
    return () => {
      if (held) this.busy.set(name, (this.busy.get(name) ?? 1) - 1);
      held = false;
    };
  }

  /** Milliseconds until the next try at the same provider; null to go on to the next one. */
  private pauseAfter(failure: UpstreamFailure, attempt: number): number | null {
    const { retries, retryBaseMs, random } = this.options;
    const { code } = failure.error;
    // A wrong key stays wrong, and a provider that was silent for minutes has had its chance.
    if (attempt >= retries || code === "upstream_auth_failed" || code === "upstream_timeout") return null;
    const pause = failure.retryAfterMs ?? retryBaseMs * 2 ** attempt * (0.75 + random() / 2);
    return pause <= MAX_PAUSE_MS ? pause : null;
  }
}

const NOTHING_HELD = () => {};

/** The provider's own name of the model; null where it has no other. */
const aliasOf = ({ aliases = {} }: Provider, model: string): string | null =>
  Object.hasOwn(aliases, model) ? (aliases[model] ?? null) : null;

/** First those that work, then those whose breaker is open: without another they are still asked. */
const inOrder = (route: readonly Provider[]): Iterable<Provider> => {
  const [only, second] = route;
  if (second !== undefined) return workingFirst(route);
  // It is asked all the same; its breaker learns that it is.
  only?.breaker?.admits();
  return route;
};

function* workingFirst(route: readonly Provider[]): Generator<Provider> {
  const later: Provider[] = [];
  for (const provider of route) {
    if (provider.breaker?.admits() ?? true) yield provider;
    else later.push(provider);
  }
  yield* later;
}

/** A provider that knows neither the model nor the address may be one of several that does not have it. */
const isUnknownThere = ({ answer }: Dispatched): boolean => answer.kind === "refused" && answer.status === 404;

/** The name is not repeated: nothing of a request is, in any error. */
const NOT_FOUND = `No provider serves the model asked for. GET /v1/models lists what there is; operators add providers with: ${commandLine(COMMANDS.addProvider())}`;
