import type { ToolServer } from "#model/tools/tool";
import type { CancelSignal } from "#platform/cancellation";
import { UNLIMITED } from "#upstream/guarded-fetch";
import {
  type QuestionReply,
  ToolFailure,
  type ToolListing,
  type ToolUpstream,
  type UpstreamRequest,
  type UpstreamToolAnswer,
  type UpstreamToolCall,
  type UpstreamWatch,
} from "#upstream/tool-port";
import { NOT_HERE, OWNER_BEAT_MS } from "./sharing-door.ts";
import { AROUND_BYTES, type Asked, readTold, type Told, textOf, wantsOf } from "./sharing-wire.ts";
import { LineSplitter } from "./stdio-lines.ts";

/** How long a server may have no process that runs it: longer than one that died keeps its lease. Milliseconds. */
const OWNERLESS_MS = 15_000;
const AGAIN_MS = 50;
/** A process that says nothing for so long hangs. Milliseconds. */
const SILENT_MS = 5 * OWNER_BEAT_MS;
/** Escapes may make the JSON of an answer longer than it came; it was measured where it came in. */
const WRITTEN_ANEW = 6;

type SharedNeeds = {
  readonly server: ToolServer;
  readonly local: () => ToolUpstream;
  readonly longest: number;
  readonly isOwned: () => Promise<boolean>;
  /** Null for none that is known. */
  readonly addressOfOwner: () => string | null;
};

/** A tool server that one of several processes runs: here where that is this one, else by asking it. */
export class SharedUpstream implements ToolUpstream {
  private local: ToolUpstream | null = null;

  constructor(private readonly needs: SharedNeeds) {}

  async list(signal: AbortSignal): Promise<ToolListing> {
    const own = (upstream: ToolUpstream) => upstream.list(signal).then((listing) => ({ listing }));
    const told = await this.either(own, { asked: this.asked(null), signal, onTold: () => {} });
    if ("listing" in told) return told.listing;
    throw this.broken(false);
  }

  call(call: UpstreamToolCall): Promise<UpstreamToolAnswer> {
    const { signal: _signal, onProgress: _progress, questions: _questions, log: _log, ...rest } = call;
    const asked = this.asked({ ...rest, ...wantsOf(call) });
    return this.answered(call, asked, (upstream) => upstream.call(call));
  }

  ask(request: UpstreamRequest): Promise<UpstreamToolAnswer> {
    const { signal: _signal, onProgress: _progress, questions: _questions, log: _log, ...rest } = request;
    const asked = this.asked({ ...rest, ...wantsOf(request) });
    return this.answered(request, asked, (upstream) => upstream.ask(request));
  }

  async watch(watch: UpstreamWatch): Promise<void> {
    const { signal, onBegun, onUpdated, uri } = watch;
    const onTold = (told: Told): void => {
      if (!("watched" in told)) return;
      if (told.watched === "begun") onBegun();
      else if (told.watched === "updated") onUpdated();
    };
    const own = (upstream: ToolUpstream) => upstream.watch(watch).then((): Told => ({ watched: "over" }));
    try {
      await this.either(own, { asked: this.asked({ watch: uri }), signal, onTold });
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  private async answered(
    {
      signal,
      onProgress,
      questions = null,
      log = null,
    }: Pick<UpstreamToolCall, "signal" | "onProgress" | "questions" | "log">,
    asked: Asked,
    work: (upstream: ToolUpstream) => Promise<UpstreamToolAnswer>,
  ): Promise<UpstreamToolAnswer> {
    const onTold = (told: Told): void => {
      if ("progress" in told) onProgress?.(told.progress);
      if ("logged" in told) log?.tell(told.logged);
      if ("completed" in told) questions?.completed(told.completed);
      if ("question" in told) void questions?.ask(told.params).then((reply) => this.reply(told.question, reply));
    };
    const own = (upstream: ToolUpstream) => work(upstream).then((answer) => ({ answer }));
    const told = await this.either(own, { asked, signal, onTold });
    if ("answer" in told) return told.answer;
    throw this.broken(true);
  }

  async close(): Promise<void> {
    const { local } = this;
    this.local = null;
    await local?.close();
  }

  /** Best effort: a process that is gone has no call that waits. */
  private async reply(question: string, reply: QuestionReply): Promise<void> {
    const unix = this.needs.addressOfOwner();
    if (unix === null) return;
    const body = await textOf({ ...this.asked(null), reply: { question, reply } });
    const signal = AbortSignal.timeout(SILENT_MS);
    await fetch("http://owner/", { unix, method: "POST", body, signal, keepalive: false }).catch(() => undefined);
  }

  private asked(call: Asked["call"]): Asked {
    const { id, credential_version } = this.needs.server;
    return { serverId: id, credentialVersion: credential_version, call };
  }

  /** Throws `ToolFailure`. */
  private async either(own: (upstream: ToolUpstream) => Promise<Told>, question: Question): Promise<Told> {
    const { signal, asked } = question;
    const until = performance.now() + OWNERLESS_MS;
    let body: string | null = null;
    for (;;) {
      if (await this.needs.isOwned()) {
        this.local ??= this.needs.local();
        return own(this.local);
      }
      body ??= await textOf(asked);
      const told = await this.askOwner(body, question);
      if (told !== null) {
        if ("failure" in told) throw told.failure;
        return told;
      }
      if (signal.aborted) throw this.cancelled(false);
      if (performance.now() > until) throw this.broken(false);
      await Bun.sleep(AGAIN_MS);
    }
  }

  /** The last that the process which runs the server says; null where none has taken the question. */
  private async askOwner(body: string, { signal, onTold, asked }: Question): Promise<Told | null> {
    const unix = this.needs.addressOfOwner();
    if (unix === null || signal.aborted) return null;
    const mayHaveRun = asked.call !== null;
    const over = new AbortController();
    const end = () => over.abort();
    const silent = setTimeout(end, SILENT_MS);
    signal.addEventListener("abort", end, { once: true });
    try {
      // A kept connection might lead to a process that runs it no more.
      const init = { ...UNLIMITED, unix, method: "POST", body, signal: over.signal, keepalive: false };
      const answer = await fetch("http://owner/", init).catch((error: unknown) => {
        if (isUnreached(error)) return null;
        throw error;
      });
      if (answer === null || answer.status === NOT_HERE || answer.body === null) return null;
      return (await this.lastTold(answer.body, onTold, () => silent.refresh())) ?? { failure: this.broken(mayHaveRun) };
    } catch (error) {
      if (error instanceof ToolFailure) throw error;
      throw signal.aborted ? this.cancelled(mayHaveRun) : this.broken(mayHaveRun, error);
    } finally {
      clearTimeout(silent);
      signal.removeEventListener("abort", end);
    }
  }

  private async lastTold(
    body: AsyncIterable<Uint8Array>,
    onTold: (told: Told) => void,
    onHeard: () => void,
  ): Promise<Told | null> {
    const lines = new LineSplitter(WRITTEN_ANEW * this.needs.longest + AROUND_BYTES);
    let last: Told | null = null;
    for await (const chunk of body) {
      onHeard();
      for (const line of lines.push(chunk)) {
        if (line === "") continue; // a sign of life
        last = await readTold(line);
        if (last !== null) onTold(last);
      }
    }
    return last !== null && ("answer" in last || "listing" in last || "failure" in last || isOver(last)) ? last : null;
  }

  private broken(mayHaveRun: boolean, cause?: unknown): ToolFailure {
    const { slug } = this.needs.server;
    return new ToolFailure(
      "unreachable",
      `The process of the hub that runs ${slug} does not answer.`,
      mayHaveRun,
      cause,
    );
  }

  private cancelled(mayHaveRun: boolean): ToolFailure {
    return new ToolFailure("cancelled", "The call was cancelled.", mayHaveRun);
  }
}

const isOver = (told: Told): boolean => "watched" in told && told.watched === "over";

type Question = {
  readonly asked: Asked;
  readonly signal: CancelSignal;
  readonly onTold: (told: Told) => void;
};

/** There is no socket, or nobody listens on it: nobody has heard the question. */
const isUnreached = (error: unknown): boolean =>
  error instanceof Error &&
  "code" in error &&
  ["ENOENT", "ECONNREFUSED", "ConnectionRefused", "FailedToOpenSocket"].includes(String(error.code));
