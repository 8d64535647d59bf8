import type { Environment } from "#config/environment";
import { isRecord, type JsonRecord } from "#core/json/json";
import type { Harness } from "#features/verdicts/harnesses/harness";
import type { HookStore } from "./hook-store";

/** How long the hub may take, in milliseconds. Harnesses give their hooks 10 s at least. */
const LIMIT_MS = 8_000;
/** And for what no harness waits for the answer of. */
const KEEP_UP_MS = 2_000;
/** Longest answer of a hub that is read, in characters. */
const MAX_ANSWER = 33_554_432;
/** Of a proxy that does not reach its hub. */
const UNREACHED: ReadonlySet<number> = new Set([502, 503, 504]);
const RULES_HEADER = "x-guard-hook-rules";
/** One report to the hub. */
const AT_ONCE = 100;

type Target = { readonly url: string; readonly token: string; readonly environment: Environment };

/** The hub's answer and the rules in force, or why there is none: nothing of what the hook was given. */
export type Asked =
  | { readonly answer: string; readonly rules: string | null }
  | { readonly problem: string; readonly isUnreachable: boolean };

/** A hub, as a hook speaks to it, and what is kept for the time without it. */
export class HookClient {
  private store: Promise<HookStore> | null = null;

  constructor(private readonly target: Target) {}

  async ask(harness: Harness, given: string): Promise<Asked> {
    try {
      const response = await this.fetch(`/harness/${harness.system}`, LIMIT_MS, given);
      const text = await response.text();
      // A page of a proxy is no verdict, and harnesses take what is no JSON for none.
      const isAnswer = text.length <= MAX_ANSWER && isRecord(parsed(text));
      if (response.status === 200 && isAnswer) return { answer: text, rules: response.headers.get(RULES_HEADER) };
      if (response.status === 200) return refused("what answered at the hub's address is no hub");
      const code = codeIn(text);
      const problem = `the hub answered ${response.status}${code === "" ? "" : ` (${code})`}`;
      if (code === "" && UNREACHED.has(response.status)) return { problem, isUnreachable: true };
      // Who is refused keeps nothing to decide by.
      if (response.status === 401 || response.status === 403) await this.storedAnyhow((store) => store.forget());
      return refused(problem);
    } catch (cause) {
      const isLate = cause instanceof Error && cause.name === "TimeoutError";
      const problem = isLate ? `the hub did not answer within ${LIMIT_MS / 1_000} s` : "the hub cannot be reached";
      return { problem, isUnreachable: true };
    }
  }

  /** Keeps the rules in force, and tells the hub what was decided without it. What went wrong; null for nothing. */
  async keepUp(hash: string | null): Promise<string | null> {
    const problem = await this.storedAnyhow(async (store) => {
      if (hash === null) store.forget();
      else if (!store.confirm(hash, Date.now())) await this.fetchRules(store);
      await store.report(async (decisions) => {
        const response = await this.fetch("/offline", KEEP_UP_MS, JSON.stringify({ decisions }));
        return response.ok;
      }, AT_ONCE);
    });
    return hash === null ? null : problem;
  }

  /** The answer by the rules kept; null where they do not decide it, or that could not be noted. */
  async decide(harness: Harness, given: string): Promise<JsonRecord | null> {
    let answer: JsonRecord | null = null;
    await this.storedAnyhow(async (store) => {
      const now = Date.now();
      const rules = store.rules(now);
      if (rules === null) return;
      const { decidedOffline } = await import("./hook-offline");
      const decided = decidedOffline(harness, given, rules, now);
      if (decided !== null && store.note(decided.decision)) answer = decided.answer;
    });
    return answer;
  }

  private async fetchRules(store: HookStore): Promise<void> {
    const [{ Shape }, { HookRules }] = await Promise.all([
      import("#core/schema"),
      import("#features/verdicts/hook-rules"),
    ]);
    const response = await this.fetch("/rules", KEEP_UP_MS);
    const rules = response.ok ? parsed(await response.text()) : null;
    if (new Shape(HookRules).fits(rules)) store.keep(rules, Date.now());
    else store.forget();
  }

  /** A verdict never waits for the cache directory, and never fails by it. What went wrong with it; null for nothing. */
  private async storedAnyhow(work: (store: HookStore) => Promise<void> | void): Promise<string | null> {
    try {
      this.store ??= import("./hook-store").then(({ HookStore }) => new HookStore(this.target));
      await work(await this.store);
      return null;
    } catch (cause) {
      const code = cause instanceof Error && "code" in cause ? ` (${cause.code})` : "";
      return `nothing could be kept for the time without the hub${code}`;
    }
  }

  private fetch(path: string, limitMs: number, body?: string): Promise<Response> {
    const { url, token } = this.target;
    return fetch(`${url}/v1/guard/hooks${path}`, {
      method: body === undefined ? "GET" : "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...(body !== undefined && { body }),
      redirect: "error",
      signal: AbortSignal.timeout(limitMs),
    });
  }
}

const refused = (problem: string): Asked => ({ problem, isUnreachable: false });

/** The code of the hub's error; empty for what is no error of a hub. */
const codeIn = (text: string): string => {
  const body = parsed(text);
  const error = isRecord(body) ? body["error"] : null;
  const code = isRecord(error) ? error["code"] : null;
  return typeof code === "string" && /^[a-z_]{1,40}$/.test(code) ? code : "";
};

/** JSON; null for what is none. */
const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch (cause) {
    if (cause instanceof SyntaxError) return null;
    throw cause;
  }
};
