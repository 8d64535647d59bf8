import { announcedChanges } from "#model/tools/mcp";
import { ToolFailure } from "#upstream/tool-port";
import { discard } from "./http-body.ts";
import type { HttpClient } from "./http-client.ts";
import { Deadlines } from "./http-deadline.ts";
import { beforeTheCall } from "./http-failure.ts";
import { tellsOfUpdates } from "./resource-updates.ts";
import { VERDICT_MS } from "./streamable-http-eras.ts";
import { Handshake, type HandshakeOptions } from "./streamable-http-handshake.ts";
import type { AsideListener, Link } from "./streamable-http-link.ts";
import { ChangeListener } from "./streamable-http-listener.ts";

/** Longest wait for a server to take note that its session is over. */
const FAREWELL_MS = 1_000;
/** The same for its stream of questions to begin. */
const LISTENING_MS = 300;

type LinksNeeds = {
  readonly http: HttpClient;
  readonly options: HandshakeOptions;
  readonly deadlines: Deadlines;
  readonly aside: AsideListener;
  readonly now: () => number;
};

/** Keeps the one link to a server: made when first needed, anew when the server has forgotten it. */
export class Links {
  private readonly handshake: Handshake;
  private link: Link | null = null;
  private linking: Promise<Link> | null = null;
  private listener: ChangeListener | null = null;
  private checkedAt = 0;
  private closed = false;
  /** Resolves when nobody hears any more what the server says of itself on the link. */
  private unheard = Promise.withResolvers<void>();

  constructor(private readonly deps: LinksNeeds) {
    this.handshake = new Handshake(deps.http, deps.options, deps.deadlines);
  }

  /** What was found out last. */
  get found(): Link | null {
    return this.link;
  }

  /** At once when there is one. Rejects with `ToolFailure`; all who wait share one handshake. */
  current(): Link | Promise<Link> {
    if (this.link) {
      if (this.deps.now() - this.checkedAt > VERDICT_MS) this.check(this.link);
      return this.link;
    }
    if (this.closed) return Promise.reject(this.over());
    this.linking ??= this.begin();
    return this.linking;
  }

  /** Resolves when what the server says of itself on the link is heard no more: it has no stream, or another link. */
  heardUntil(link: Link): Promise<void> {
    return this.link === link ? this.unheard.promise : Promise.resolve();
  }

  /** The server does not go by this link any more. */
  drop(link: Link): void {
    if (this.link !== link) return;
    this.handshake.forget();
    this.use(null);
  }

  /** Never throws. */
  async close(): Promise<void> {
    this.closed = true;
    const { link } = this;
    this.use(null);
    this.deps.deadlines.close();
    if (link?.session) await this.endSession(link);
  }

  private over(): ToolFailure {
    const text = `The connection to ${this.deps.options.slug} was closed. Try again.`;
    return new ToolFailure("unreachable", text, false);
  }

  private async begin(): Promise<Link> {
    try {
      const link = await this.handshake.link();
      this.use(link);
      if (this.mayAsk(link)) await this.heard();
      return link;
    } catch (error) {
      throw error instanceof ToolFailure ? beforeTheCall(error) : error;
    } finally {
      this.linking = null;
    }
  }

  /**
   * Asks again which era the server speaks, beside the calls under way: they end on the link they began on. Only a
   * server that was replaced has changed, and that one no longer knows the old session: nobody ends it.
   */
  private check(link: Link): void {
    this.checkedAt = this.deps.now();
    this.handshake.discover().then(
      (modern) => {
        if (this.link !== link) return;
        if (modern) {
          if (link.era === "legacy") this.use(modern);
        } else if (link.era === "modern") this.drop(link);
      },
      // It is out of reach for now: what was true before still is, as far as anybody knows.
      () => {},
    );
  }

  private use(link: Link | null): void {
    this.listener?.stop();
    this.listener = null;
    this.unheard.resolve();
    if (link && this.closed) return;
    this.link = link;
    if (!link) return;
    this.checkedAt = this.deps.options.older.since(this.deps.options.url) ?? this.deps.now();
    // Many servers of the 2025 era ask on this stream, not on that of the call.
    const { capabilities, era } = link;
    const tells = announcedChanges(capabilities).length > 0 || (era === "legacy" && tellsOfUpdates(capabilities));
    if (!tells && !this.mayAsk(link)) return;
    const unheard = Promise.withResolvers<void>();
    this.unheard = unheard;
    const { http, deadlines, aside, now, options } = this.deps;
    this.listener = new ChangeListener({ http, slug: options.slug, deadlines, aside, now }, link);
    void this.listener.listen().then(unheard.resolve);
  }

  private mayAsk({ era }: Link): boolean {
    return era === "legacy" && this.deps.options.isAskable === true;
  }

  /** What a server asks while nobody listens is lost, and its call with it. Some give no sign that they know who listens. */
  private async heard(): Promise<void> {
    const { promise: late, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, LISTENING_MS);
    await Promise.race([this.listener?.answered, late]);
    clearTimeout(timer);
  }

  private async endSession({ headers }: Link): Promise<void> {
    // The connection's own deadlines are over: this one stands alone.
    const last = new Deadlines();
    const deadline = last.begin(FAREWELL_MS, null);
    try {
      discard(await this.deps.http.send({ method: "DELETE", headers, body: null, signal: deadline.signal }));
    } catch {
      // It was a courtesy: a server that does not hear it forgets the session by itself.
    } finally {
      last.finish(deadline);
    }
  }
}
