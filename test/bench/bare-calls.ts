/**
 * What a guarding gateway has to know of each call and to hold it to, in the least form that keeps the promise: who is
 * stopped, which models a profile permits, limits of requests and tokens, a provider with a place for the call, a time
 * limit, what was used, and the facts of its record. One object a call; nothing is looked up that no caller has.
 */
import { callRecord } from "#test/support/call-record";

export type BareCaller = { readonly user: string; readonly agent: string };

type Profile = { readonly models: RegExp; readonly requests: number; readonly tokens: number };
type Used = { minute: number; requests: number; tokens: number };
type Provider = { readonly name: string; readonly serves: RegExp; readonly most: number; busy: number };

/** A call under way. */
export type BareCall = {
  readonly id: string;
  readonly caller: BareCaller;
  readonly model: string;
  readonly provider: Provider;
  readonly reserved: number;
  readonly begun: number;
  readonly endsAt: number;
};

export type Answered = { readonly stream: boolean; readonly asked: number; readonly answered: number };

const MINUTE_MS = 60_000;
const TOTAL_MS = 600_000;
const TICK_MS = 100;
const UNITS_A_TOKEN = 4;
const PROFILE: Profile = { models: /^bench-/, requests: 1e9, tokens: 1e12 };

export class BareCalls {
  private readonly stopped = new Set<string>();
  private readonly profiles = new Map<string, Profile>();
  private readonly used = new Map<string, Used>();
  private readonly hours = new Map<string, { calls: number; tokens: number }>();
  private readonly providers: readonly Provider[] = [{ name: "bench", serves: /^bench-/, most: 1_024, busy: 0 }];
  private readonly routes = new Map<string, Provider>();
  private readonly open = new Set<BareCall>();

  constructor(private readonly ids: () => string) {
    setInterval(() => this.tick(), TICK_MS).unref();
  }

  get size(): number {
    return this.open.size;
  }

  /** Throws what forbids the call. */
  begin(caller: BareCaller, model: string, units: number): BareCall {
    const { user, agent } = caller;
    if (this.stopped.has("all") || this.stopped.has(user) || this.stopped.has(agent)) throw new Error("stopped");
    const profile = this.profiles.get(agent) ?? PROFILE;
    if (!profile.models.test(model)) throw new Error("model not allowed");
    const now = Date.now();
    const reserved = Math.ceil(units / UNITS_A_TOKEN);
    this.reserve(profile, agent, reserved, now);
    const provider = this.route(model);
    if (provider.busy >= provider.most) throw new Error("busy");
    provider.busy += 1;
    const call = { id: this.ids(), caller, model, provider, reserved, begun: now, endsAt: now + TOTAL_MS };
    this.open.add(call);
    return call;
  }

  /** Gives its place back, counts it, and gives its final record. */
  end(call: BareCall, { stream, asked, answered }: Answered): string {
    const { id, caller, model, provider, reserved, begun } = call;
    const now = Date.now();
    this.open.delete(call);
    provider.busy -= 1;
    const tokens = Math.ceil((asked + answered) / UNITS_A_TOKEN);
    const used = this.used.get(caller.agent);
    if (used) used.tokens += tokens - reserved;
    const key = `${Math.floor(now / 3_600_000)} ${caller.agent} ${model}`;
    const hour = this.hours.get(key);
    if (hour === undefined) this.hours.set(key, { calls: 1, tokens });
    else {
      hour.calls += 1;
      hour.tokens += tokens;
    }
    const coverage = { input: scanned(asked), output: scanned(answered) };
    const usage = { prompt_tokens: reserved, completion_tokens: tokens - reserved, total_tokens: tokens };
    const ms = { total: now - begun, guard: 1, upstream: 1 };
    const facts = { model, provider: provider.name, stream, coverage, usage, ms };
    return JSON.stringify(callRecord({ at: now, id: this.ids(), call_id: id, ...caller, facts }));
  }

  private reserve({ requests, tokens }: Profile, agent: string, wanted: number, now: number): void {
    const minute = Math.floor(now / MINUTE_MS);
    let used = this.used.get(agent);
    if (used === undefined || used.minute !== minute) {
      used = { minute, requests: 0, tokens: 0 };
      this.used.set(agent, used);
    }
    if (used.requests + 1 > requests || used.tokens + wanted > tokens) throw new Error("over a limit");
    used.requests += 1;
    used.tokens += wanted;
  }

  private route(model: string): Provider {
    const known = this.routes.get(model) ?? this.providers.find(({ serves }) => serves.test(model));
    if (known === undefined) throw new Error("no provider");
    this.routes.set(model, known);
    return known;
  }

  private tick(): void {
    const now = Date.now();
    for (const { endsAt } of this.open) if (now > endsAt) throw new Error("a call took too long");
  }
}

const scanned = (chars: number) => ({ texts: 1, chars, cached: 0, unscanned: [] });
