import { COMMANDS, commandLine } from "#core/command-line";
import { GuardError } from "#core/errors";
import { matchesGlob } from "#core/glob";
import type { CallLife } from "#engine/call-life";
import { type Provider, type UpstreamAnswer, UpstreamFailure } from "#upstream/port";

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
  /** The serialised request. */
  readonly body: string;
  readonly model: string;
  readonly stream: boolean;
  readonly life: CallLife;
  /** Only there, whatever models it says it serves; without one, whichever provider serves the model. */
  readonly provider?: string | null;
};

export type Dispatched = {
  readonly answer: UpstreamAnswer;
  readonly provider: string;
  /** Frees the provider's place; call it when the answer has been read. */
  readonly release: () => void;
};

/** A provider that asks for a longer pause than this is left for the next one. Milliseconds. */
const LONGEST_PAUSE_MS = 8_000;
/** Model names seen lately, so that globs are matched once a name. */
const MOST_ROUTES = 1_000;

/** Finds the providers of a model and sends a call to the first that answers, in order of priority. */
export class Dispatcher {
  private providers: readonly Provider[] = [];
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

  /** Those that serve the model, first choice first. */
  route(model: string): readonly Provider[] {
    const known = this.routes.get(model);
    if (known) return known;
    const found = this.providers.filter((provider) => provider.models.some((glob) => matchesGlob(glob, model)));
    if (this.routes.size >= MOST_ROUTES) this.routes.clear();
    this.routes.set(model, found);
    return found;
  }

  private routeOf({ model, provider: named = null }: DispatchedCall): readonly Provider[] {
    return named === null ? this.route(model) : this.providers.filter(({ name }) => name === named);
  }

  /** Throws the last provider's `GuardError`, `model_not_found`, or the signal's reason. */
  async send(call: DispatchedCall, onAttempt: (provider: string) => void): Promise<Dispatched> {
    let last: GuardError | null = null;
    for (const provider of this.routeOf(call)) {
      const outcome = await this.tries(provider, call, onAttempt);
      if (!(outcome instanceof GuardError)) return outcome;
      last = outcome;
    }
    throw last ?? new GuardError("model_not_found", NOT_FOUND, { param: "model" });
  }

  /** What one provider makes of the call, with retries; an error that the next provider may do better with is returned. */
  private async tries(
    provider: Provider,
    call: DispatchedCall,
    onAttempt: (provider: string) => void,
  ): Promise<Dispatched | GuardError> {
    const { name, upstream } = provider;
    const { body, model, stream, life } = call;
    for (let attempt = 0; ; attempt += 1) {
      let release = NOTHING_HELD;
      onAttempt(name);
      try {
        release = this.enter(name);
        return {
          answer: await upstream.chat({ body, model, stream, attempt: life.attempt() }),
          provider: name,
          release,
        };
      } catch (error) {
        release();
        // With the call over every failure is a consequence of that, whatever it looks like.
        if (!(error instanceof UpstreamFailure) || life.isOver) throw error;
        if (!error.retryable) throw error.error;
        const pause = this.pauseAfter(error, attempt);
        if (pause === null) return error.error;
        await this.options.sleep(pause, life.signal);
      }
    }
  }

  /** Takes a place at the provider; the returned function gives it back. Throws `UpstreamFailure` when there is none. */
  private enter(name: string): () => void {
    const busy = this.busy.get(name) ?? 0;
    if (busy >= this.options.maxConcurrent) {
      const full = new GuardError(
        "upstream_rate_limited",
        `The provider ${name} has ${busy} calls under way, the most the hub allows.`,
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
    return pause <= LONGEST_PAUSE_MS ? pause : null;
  }
}

const NOTHING_HELD = () => {};

/** The name is not repeated: nothing of a request is, in any error. */
const NOT_FOUND = `No provider serves the model asked for. GET /v1/models lists what there is; operators add providers with: ${commandLine(COMMANDS.addProvider())}`;
