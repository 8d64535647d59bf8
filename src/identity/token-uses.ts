import type { TokenStore } from "#store/port";

/**
 * When tokens were last used, in memory: noting it is all a call pays. What is news is written once in a while, so
 * that a busy token costs one row a minute and not one a call.
 */
export class TokenUses {
  private readonly seen = new Map<string, number>();
  private readonly stored = new Map<string, number>();

  constructor(private readonly tokens: Pick<TokenStore, "noteUses">) {}

  note(tokenId: string, at: number): void {
    this.seen.set(tokenId, at);
  }

  /** By this process since it began; null for not at all. */
  last(tokenId: string): number | null {
    return this.seen.get(tokenId) ?? null;
  }

  /** To be called every minute, and at the end. What could not be written is news the next time too. */
  async flush(): Promise<void> {
    const news = [...this.seen].filter(([id, at]) => this.stored.get(id) !== at);
    await this.tokens.noteUses(news.map(([token_id, at]) => ({ token_id, at })));
    for (const [id, at] of news) this.stored.set(id, at);
  }
}
