import type { ToolWatch } from "#features/tools/dialect/port";
import type { TokenPrincipal } from "#model/principal";
import type { ListChange } from "#model/tools/mcp";
import { EventStream } from "./event-stream";
import type { DialectNeeds, ToolExchange } from "./exchange";

type Options = {
  /** Lists whose changes are told. */
  readonly changes: readonly ListChange[];
  /** The message that says that a list has changed. */
  readonly messageOf: (change: ListChange) => string;
  /** Who the caller is now, from time to time. */
  readonly onLook: (now: TokenPrincipal) => void;
  /** Called once, before the stream ends: with its client gone, or while something can still be said to it. */
  readonly onEnd: (isGone: boolean) => void;
};

/**
 * An answer that stays open and says when what the caller is listed may have changed. It ends with the client, with its
 * token or what stops it, or with the hub.
 */
export class ChangeStream {
  private readonly stream: EventStream;
  private watches: readonly ToolWatch[] = [];
  private isOver = false;

  private constructor(
    private readonly deps: DialectNeeds,
    private readonly exchange: ToolExchange,
    private readonly options: Options,
  ) {
    this.stream = new EventStream({
      openCalls: deps.openCalls,
      onGone: () => this.leave(true),
      onCutOff: this.end,
      onTick: () => this.look(),
    });
  }

  /** Null where the token holds as many open as it may, or the hub is stopping. */
  static open(deps: DialectNeeds, exchange: ToolExchange, options: Options): ChangeStream | null {
    const opened = new ChangeStream(deps, exchange, options);
    if (!deps.subscriptions.add(exchange.caller.token.id, opened.end)) {
      opened.isOver = true;
      opened.stream.end();
      return null;
    }
    exchange.request.signal.addEventListener("abort", () => opened.leave(true), { once: true });
    return opened;
  }

  /** The answer. Changes are told from now on. `isSilent`: nothing else is said at once. */
  response({ isSilent = false } = {}): Response {
    const { deps, exchange, options } = this;
    const response = this.stream.response(exchange);
    if (this.isOver) return response;
    if (isSilent) this.stream.begin();
    this.watches = options.changes.map((change) => {
      const tell = (): void => this.tell(options.messageOf(change));
      const { capability } = change;
      return capability === "tools"
        ? deps.service.watch(exchange.caller, tell)
        : deps.offers.watch(exchange.caller, capability, tell);
    });
    return response;
  }

  get isEnded(): boolean {
    return this.isOver;
  }

  send(message: string): void {
    if (!this.isOver) this.stream.send(message);
  }

  /** News: dropped where the client does not read. */
  tell(message: string): void {
    if (!this.isOver) this.stream.sendNews(message);
  }

  readonly end = (): void => this.leave(false);

  private look(): void {
    const now = this.exchange.callerNow();
    if (now instanceof Promise) now.then((caller) => this.seen(caller), this.end);
    else this.seen(now);
  }

  private seen(now: TokenPrincipal | null): void {
    if (this.isOver) return;
    if (now === null || this.deps.offers.isStopped(now)) {
      this.end();
      return;
    }
    for (const watch of this.watches) watch.lookAs(now);
    this.options.onLook(now);
  }

  private leave(isGone: boolean): void {
    if (this.isOver) return;
    this.options.onEnd(isGone);
    this.isOver = true;
    this.deps.subscriptions.remove(this.exchange.caller.token.id, this.end);
    for (const watch of this.watches) watch.end();
    this.watches = [];
    this.stream.end();
  }
}
