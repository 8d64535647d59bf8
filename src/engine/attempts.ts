import { GuardError } from "#core/errors";
import { parseAddress } from "#core/ip-range";
import type { Clock } from "#platform/clock";

type Limit = { readonly free: number; readonly longestMs: number };

/** Short, because anybody can make somebody else wait: at this pace a year is a million guesses. */
const ACCOUNT: Limit = { free: 5, longestMs: 30_000 };
/** A whole office may be behind one address. */
const ADDRESS: Limit = { free: 20, longestMs: 900_000 };
const FORGOTTEN_AFTER_MS = 3_600_000;
/** Anything a client can invent is bounded. Of each of the two ages. */
const MOST_REMEMBERED = 10_000;

type Tries = { readonly count: number; readonly at: number; readonly openAt: number };

/**
 * A bounded number of tries, by key; the oldest go first. In two ages of which the older goes as a whole, because
 * taking the first of a long map out, one by one, costs more than what it is kept from.
 */
class Memory {
  private young = new Map<string, Tries>();
  private old = new Map<string, Tries>();

  get(key: string): Tries | undefined {
    return this.young.get(key) ?? this.old.get(key);
  }

  set(key: string, tries: Tries): void {
    this.young.set(key, tries);
    if (this.young.size < MOST_REMEMBERED) return;
    this.old = this.young;
    this.young = new Map();
  }

  delete(key: string): void {
    this.young.delete(key);
    this.old.delete(key);
  }
}

/** Slows down whoever guesses, by account and by address: each failure past the free ones doubles the wait. */
export class Attempts {
  /** Who has free tries left. */
  private readonly free = new Memory();
  /** Who has none: kept apart, so that names somebody makes up by the thousand push none of them out. */
  private readonly slowed = new Memory();

  constructor(private readonly now: Clock) {}

  /**
   * Counts the try as failed before it is looked at, so that many at once gain nothing. Throws
   * `rate_limit_exceeded` while one of the two has to wait.
   */
  begin(account: string, address: string | null): void {
    const keys = keysOf(account, address);
    const now = this.now();
    const openAt = Math.max(...keys.map(([key]) => this.known(key, now)?.openAt ?? 0));
    if (openAt > now) throw tooMany(openAt - now);
    for (const [key, limit] of keys) this.note(key, limit, now);
  }

  /** It was right: the account is free again, and the address has one failure less. */
  succeeded(account: string, address: string | null): void {
    const [[own], [theirs]] = keysOf(account, address);
    this.forget(own);
    const before = this.slowed.get(theirs) ?? this.free.get(theirs);
    if (!before) return;
    this.forget(theirs);
    const count = before.count - 1;
    (count < ADDRESS.free ? this.free : this.slowed).set(theirs, { ...before, count, openAt: 0 });
  }

  private known(key: string, now: number): Tries | undefined {
    const found = this.slowed.get(key) ?? this.free.get(key);
    return found && now - found.at < FORGOTTEN_AFTER_MS ? found : undefined;
  }

  private note(key: string, { free, longestMs }: Limit, now: number): void {
    const count = (this.known(key, now)?.count ?? 0) + 1;
    const waitMs = count < free ? 0 : Math.min(longestMs, 1_000 * 2 ** (count - free));
    this.forget(key);
    (count < free ? this.free : this.slowed).set(key, { count, at: now, openAt: now + waitMs });
  }

  private forget(key: string): void {
    this.free.delete(key);
    this.slowed.delete(key);
  }
}

type Key = readonly [key: string, limit: Limit];

const keysOf = (account: string, address: string | null): readonly [Key, Key] => [
  [`account ${account}`, ACCOUNT],
  [`address ${networkOf(address)}`, ADDRESS],
];

/** Whoever has one IPv6 address has 2^64 of them. Who comes from nowhere known shares one count. */
export const networkOf = (address: string | null): string => {
  const parsed = address === null ? null : parseAddress(address);
  if (!parsed) return "unknown";
  return parsed.bits === 32 ? `${parsed.value}` : `${parsed.value >> 64n}/64`;
};

const tooMany = (waitMs: number): GuardError => {
  const seconds = Math.ceil(waitMs / 1_000);
  return new GuardError("rate_limit_exceeded", `There were too many tries. Try again in ${seconds} s.`, {
    headers: { "retry-after": `${seconds}` },
  });
};
