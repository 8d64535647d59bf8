import type { TokenPrincipal } from "#model/principal";
import { slices } from "#platform/slices";

/** What a caller may have can change without a word: it is looked at so often all the same. Milliseconds. */
const AGAIN_MS = 1_000;

/** A look at what a caller may have, as often as that may have changed. */
export type Look = {
  /** Who the caller was when last told. */
  readonly caller: TokenPrincipal;
  readonly ask: () => void;
  /** Asks where the caller has changed, or for too long nobody has asked. */
  readonly lookAs: (now: TokenPrincipal) => void;
  readonly end: () => void;
};

/** Looks that were asked for. Thousands may be at once: they are done in slices, each once. */
export class Looks {
  private readonly due = new Set<() => void>();
  private isBusy = false;

  /** `act` must not throw. */
  begin(caller: TokenPrincipal, act: (caller: TokenPrincipal) => void): Look {
    let latest = caller;
    let askedAt = performance.now();
    const look = (): void => act(latest);
    const ask = (): void => {
      askedAt = performance.now();
      this.ask(look);
    };
    return {
      get caller() {
        return latest;
      },
      ask,
      lookAs: (now) => {
        const isDue = !isSame(now, latest) || performance.now() - askedAt >= AGAIN_MS;
        latest = now;
        if (isDue) ask();
      },
      end: () => void this.due.delete(look),
    };
  }

  private ask(look: () => void): void {
    this.due.add(look);
    if (this.isBusy) return;
    this.isBusy = true;
    void this.run();
  }

  private async run(): Promise<void> {
    await slices.turn();
    const pause = slices.begin();
    try {
      for (const look of this.due) {
        this.due.delete(look);
        look();
        const wait = pause();
        if (wait) await wait;
      }
    } finally {
      this.isBusy = false;
    }
  }
}

/** Whether both may have the same, as far as the caller says. */
const isSame = (one: TokenPrincipal, other: TokenPrincipal): boolean =>
  one.user === other.user &&
  one.agent === other.agent &&
  one.client?.id === other.client?.id &&
  Bun.deepEquals(one.client?.tools, other.client?.tools);
