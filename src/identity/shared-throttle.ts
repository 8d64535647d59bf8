import type { SharedStore, Tries } from "#store/shared-port";
import {
  FORGOTTEN_AFTER_MS,
  keysOf,
  type SignInThrottle,
  succeededOnce,
  tooMany,
  triedOnce,
  waitOf,
} from "./login-throttle";

/** The same where several processes serve: who fails at one of them waits at all. */
export class SharedThrottle implements SignInThrottle {
  constructor(private readonly shared: Pick<SharedStore, "changeTries">) {}

  async begin(account: string, address: string | null): Promise<void> {
    let waitMs = 0;
    await this.change(account, address, (known, now) => {
      const limits = keysOf(account, address).map(([, limit]) => limit);
      waitMs = Math.max(...limits.map((limit, at) => waitOf(known[at] ?? undefined, limit, now)));
      return waitMs > 0 ? null : limits.map((limit, at) => triedOnce(known[at] ?? undefined, limit, now));
    });
    if (waitMs > 0) throw tooMany(waitMs);
  }

  succeeded(account: string, address: string | null): Promise<void> {
    return this.change(account, address, ([, theirs]) => [null, theirs ? succeededOnce(theirs) : null]);
  }

  private change(
    account: string,
    address: string | null,
    work: (known: readonly (Tries | null)[], now: number) => readonly (Tries | null)[] | null,
  ): Promise<void> {
    const keys = keysOf(account, address).map(([key]) => key);
    return this.shared.changeTries(keys, FORGOTTEN_AFTER_MS, work);
  }
}
