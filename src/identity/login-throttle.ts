import { GuardError } from "#core/errors";
import { parseAddress } from "#core/ip-range";
import type { Clock } from "#platform/clock";
import { RecentlyUsed } from "#platform/recently-used";
import type { Tries } from "#store/shared-port";

type Limit = { readonly free: number; readonly longestMs: number };

/** Short, because anybody can make somebody else wait: at this pace a year is a million guesses. */
const ACCOUNT: Limit = { free: 5, longestMs: 30_000 };
/** A whole office may be behind one address. */
const ADDRESS: Limit = { free: 20, longestMs: 900_000 };
export const FORGOTTEN_AFTER_MS = 3_600_000;
/** Anything a client can invent is bounded. */
const MAX_REMEMBERED = 20_000;

/** Slows down guessing, by account and by address: each failure past the free ones doubles the wait. */
export type SignInThrottle = {
  /**
   * Counts the try as failed before it is looked at, so that many at once gain nothing. Throws
   * `rate_limit_exceeded` while one of the two has to wait.
   */
  begin(account: string, address: string | null): Promise<void> | void;
  /** It was right: the account is free again, and the address has one failure less. */
  succeeded(account: string, address: string | null): Promise<void> | void;
};

/** What failures are once there is another. */
export const triedOnce = (known: Tries | undefined, { free, longestMs }: Limit, now: number): Tries => {
  const count = (known?.count ?? 0) + 1;
  const waitMs = count < free ? 0 : Math.min(longestMs, 1_000 * 2 ** (count - free));
  return { count, at: now, openAt: waitMs === 0 ? 0 : now + waitMs };
};

/** What an address's are when it was right. */
export const succeededOnce = (known: Tries): Tries => ({ ...known, count: known.count - 1, openAt: 0 });

/** Of one process that serves alone. */
export class LoginThrottle implements SignInThrottle {
  /** Who has free tries left. */
  private readonly free = new RecentlyUsed<Tries>(MAX_REMEMBERED);
  /** Who has none: kept apart, so that names somebody makes up by the thousand push none of them out. */
  private readonly slowed = new RecentlyUsed<Tries>(MAX_REMEMBERED);

  constructor(private readonly now: Clock) {}

  begin(account: string, address: string | null): void {
    const keys = keysOf(account, address);
    const now = this.now();
    const waitMs = Math.max(...keys.map(([key, limit]) => waitOf(this.known(key, now), limit, now)));
    if (waitMs > 0) throw tooMany(waitMs);
    for (const [key, limit] of keys) this.note(key, limit, now);
  }

  succeeded(account: string, address: string | null): void {
    const [[own], [theirs]] = keysOf(account, address);
    this.forget(own);
    const before = this.slowed.get(theirs) ?? this.free.get(theirs);
    if (!before) return;
    this.forget(theirs);
    const after = succeededOnce(before);
    (after.count < ADDRESS.free ? this.free : this.slowed).set(theirs, after);
  }

  private known(key: string, now: number): Tries | undefined {
    const found = this.slowed.get(key) ?? this.free.get(key);
    return found && now - found.at < FORGOTTEN_AFTER_MS ? found : undefined;
  }

  private note(key: string, limit: Limit, now: number): void {
    const tries = triedOnce(this.known(key, now), limit, now);
    this.forget(key);
    (tries.count < limit.free ? this.free : this.slowed).set(key, tries);
  }

  private forget(key: string): void {
    this.free.delete(key);
    this.slowed.delete(key);
  }
}

type Key = readonly [key: string, limit: Limit];

export const keysOf = (account: string, address: string | null): readonly [Key, Key] => [
  [`account ${account}`, ACCOUNT],
  [`address ${networkOf(address)}`, ADDRESS],
];

/** An IPv6 client has 2^64 addresses. Clients without a known address share one count. */
export const networkOf = (address: string | null): string => {
  const parsed = address === null ? null : parseAddress(address);
  if (!parsed) return "unknown";
  return parsed.bits === 32 ? `${parsed.value}` : `${parsed.value >> 64n}/64`;
};

/** Longer than any wait is one of a clock that was set back since. */
export const waitOf = (tries: Tries | undefined, { longestMs }: Limit, now: number): number => {
  const waitMs = (tries?.openAt ?? 0) - now;
  return waitMs > longestMs ? 0 : waitMs;
};

export const tooMany = (waitMs: number): GuardError => {
  const seconds = Math.ceil(waitMs / 1_000);
  return new GuardError("rate_limit_exceeded", `Too many attempts. Try again in ${seconds} s.`, {
    headers: { "retry-after": `${seconds}` },
  });
};
