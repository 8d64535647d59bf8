import type { Bearer } from "#model/oauth/client";
import { type Clock, hasPassed } from "#platform/clock";
import { RecentlyUsed } from "#platform/recently-used";

/** After how long the store is asked again although nothing has changed. Milliseconds. */
const FRESH_MS = 5_000;
const CAPACITY = 10_000;

type Known = { readonly bearer: Bearer; readonly at: number; readonly epoch: number };
type Look = () => Promise<Bearer | null>;

type KnownBearersNeeds = {
  readonly now: Clock;
  /** Whether changes of other processes were heard of lately: otherwise nobody knows what was revoked. */
  readonly isCurrent: () => boolean;
};

/**
 * What a store that is asked over a network said of access tokens. Whatever ends a grant is a change, and every change
 * makes all of this be asked anew: a token that was revoked opens nothing once the change was taken in. While changes are
 * not heard of, nothing is believed.
 */
export class KnownBearers {
  private readonly known = new RecentlyUsed<Known>(CAPACITY);
  private readonly asking = new Map<string, { readonly epoch: number; readonly answer: Promise<Bearer | null> }>();
  private epoch = 0;

  constructor(private readonly needs: KnownBearersNeeds) {}

  /** Something has changed in the store. */
  apply(): void {
    this.epoch += 1;
  }

  /** What the token opens. Answered at once where that is known; rejects when the store cannot say. */
  authenticate(hash: string, look: Look): Bearer | null | Promise<Bearer | null> {
    const known = this.believed(hash);
    if (known?.epoch !== this.epoch || known.bearer.expires_at <= this.needs.now()) return this.ask(hash, look);
    this.refresh(hash, known, look);
    return known.bearer;
  }

  /**
   * Of a call that was let through: what its token opens still. After a change the store is asked again, and what was
   * known before holds for the moment until it has answered.
   */
  granted(hash: string, look: Look): Bearer | null {
    const known = this.believed(hash);
    if (known === null) this.askAside(hash, look);
    else this.refresh(hash, known, look);
    return known?.bearer ?? null;
  }

  private believed(hash: string): Known | null {
    return this.needs.isCurrent() ? (this.known.get(hash) ?? null) : null;
  }

  private refresh(hash: string, known: Known, look: Look): void {
    if (known.epoch !== this.epoch || hasPassed(FRESH_MS, known.at, this.needs.now())) this.askAside(hash, look);
  }

  private askAside(hash: string, look: Look): void {
    this.ask(hash, look).catch(() => {
      // Asked again at the next occasion; until then what is known holds as long as changes are heard of.
    });
  }

  /** Once at a time for each token. An answer that was begun before a change says nothing of what is after it. */
  private ask(hash: string, look: Look): Promise<Bearer | null> {
    const { epoch } = this;
    const under = this.asking.get(hash);
    if (under?.epoch === epoch) return under.answer;
    const at = this.needs.now();
    const answer = look()
      .then((bearer) => {
        if (bearer === null) this.known.delete(hash);
        else this.known.set(hash, { bearer, at, epoch });
        return bearer;
      })
      .finally(() => {
        if (this.asking.get(hash)?.answer === answer) this.asking.delete(hash);
      });
    this.asking.set(hash, { epoch, answer });
    return answer;
  }
}
