import { lookup } from "node:dns/promises";
import { type IpRange, inRange, isPublic, parseAddress, parseRange } from "#core/ip-range";
import { plainFetch } from "./plain-fetch";

/*
 * Requests to addresses that others gave (SSRF). A name is resolved once, every address it has is checked, and the
 * connection is made to a checked address: a name that resolves to something else the next moment (DNS rebinding)
 * gains nothing. The certificate is still checked against the name.
 */

/** `fetch` as far as strangers' addresses are concerned: it refuses forbidden ones and follows no redirects. */
export type GuardedFetch = (url: string, init: RequestInit) => Promise<Response>;

/** All addresses of a host name, in the order of preference. */
export type Resolve = (hostname: string) => Promise<readonly string[]>;

export type GuardedFetchOptions = {
  /** Networks in CIDR notation that may be connected to although they are not public. */
  readonly allowPrivate: readonly string[];
  /** The setting they come from, for messages. */
  readonly setting: string;
  /** Where plain http is good enough: anywhere, or in those networks only. */
  readonly http: "anywhere" | "allowed networks";
  /** Longest wait for the name's addresses, milliseconds. */
  readonly connectMs: number;
  /** The system's resolver, if not given. */
  readonly resolve?: Resolve;
};

/** Nothing was sent. The message names the host as it was given and nothing of what it resolves to. */
export class NotConnected extends Error {
  override readonly name = "NotConnected";
  constructor(
    readonly reason: "forbidden_address" | "unreachable",
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** More are not tried: a name with hundreds of addresses would hold a call for long. */
const MAX_ADDRESSES = 8;

const systemResolve: Resolve = async (hostname) =>
  (await lookup(hostname, { all: true })).map(({ address }) => address);

/** Bun's own: no limit on silence, ours decide. */
export const UNLIMITED: BunFetchRequestInit = { redirect: "manual", timeout: false };

/** Addresses of a host that may be connected to, each of them checked. `isSecret`: what is sent is encrypted. Throws `NotConnected`. */
export type AddressCheck = (
  hostname: string,
  isSecret: boolean,
  signal: AbortSignal | null,
) => Promise<readonly string[]>;

export const addressCheck = (options: Omit<GuardedFetchOptions, "http">): AddressCheck => {
  const { allowPrivate, setting, connectMs, resolve = systemResolve } = options;
  const allowed = allowPrivate.map((text) => networkOf(text, setting));
  return async (hostname, isSecret, signal) => {
    const addresses = parseAddress(hostname) ? [hostname] : await resolved(hostname, resolve, connectMs, signal);
    for (const text of addresses) {
      const isAllowed = isWithin(text, allowed);
      if (!isAllowed && !isPublicAddress(text)) throw forbidden(hostname, setting);
      if (!isAllowed && !isSecret) throw unencrypted(hostname, setting);
    }
    return addresses.slice(0, MAX_ADDRESSES);
  };
};

/** Throws `NotConnected`, and what `fetch` throws. */
export const guardedFetch = (options: GuardedFetchOptions): GuardedFetch => {
  const addressesOf = addressCheck(options);
  return async (url, init) => {
    const target = webUrl(url);
    const isSecret = target.protocol === "https:" || options.http === "anywhere";
    return connect(target, await addressesOf(bareName(target), isSecret, init.signal ?? null), init);
  };
};

const networkOf = (text: string, setting: string): IpRange => {
  const range = parseRange(text);
  if (range === null) throw new TypeError(`${setting}: ${text} is not a network`);
  return range;
};

/** Without the brackets of an IPv6 address. */
const bareName = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, "");

/**
 * The parsed form also ends other spellings of addresses: `http://2130706433/` reads `127.0.0.1` from here on. Throws
 * `NotConnected`.
 */
export const webUrl = (text: string): URL => {
  const url = URL.parse(text);
  if (url === null || (url.protocol !== "https:" && url.protocol !== "http:")) {
    throw new NotConnected("forbidden_address", "Only http and https URLs are connected to.");
  }
  if (url.username !== "" || url.password !== "") {
    const message = `The URL of ${url.hostname} holds a user name or password: put credentials into a header.`;
    throw new NotConnected("forbidden_address", message);
  }
  return url;
};

const isWithin = (text: string, networks: readonly IpRange[]): boolean => {
  const address = parseAddress(text);
  return address !== null && networks.some((range) => inRange(address, range));
};

const isPublicAddress = (text: string): boolean => {
  const address = parseAddress(text);
  return address !== null && isPublic(address);
};

/** Does not say which address it is: that would tell outsiders what names mean inside. */
const forbidden = (hostname: string, setting: string): NotConnected =>
  new NotConnected(
    "forbidden_address",
    `${hostname} is not a public address. An operator can allow its network with ${setting}.`,
  );

const unencrypted = (hostname: string, setting: string): NotConnected =>
  new NotConnected(
    "forbidden_address",
    `${hostname} takes encrypted connections only. Others are for networks of ${setting}.`,
  );

const resolved = async (hostname: string, resolve: Resolve, ms: number, signal: AbortSignal | null) => {
  signal?.throwIfAborted();
  const limit = AbortSignal.any([AbortSignal.timeout(ms), ...(signal ? [signal] : [])]);
  const ended = Promise.withResolvers<never>();
  const onEnd = () => ended.reject(limit.reason);
  limit.addEventListener("abort", onEnd, { once: true });
  try {
    const addresses = await Promise.race([resolve(hostname), ended.promise]);
    if (addresses.length > 0) return addresses;
  } catch (cause) {
    signal?.throwIfAborted();
    throw new NotConnected("unreachable", `The name ${hostname} has no address.`, { cause });
  } finally {
    limit.removeEventListener("abort", onEnd);
  }
  throw new NotConnected("unreachable", `The name ${hostname} has no address.`);
};

/** Nobody took the connection, so nothing was sent and the next address can be tried. */
const wasRefused = (error: unknown): boolean =>
  error instanceof Error && "code" in error && ["ECONNREFUSED", "ConnectionRefused"].includes(String(error.code));

const connect = async (target: URL, addresses: readonly string[], init: RequestInit): Promise<Response> => {
  const headers = new Headers(init.headers);
  headers.set("host", target.host);
  const named = parseAddress(bareName(target)) === null;
  // The certificate must be the name's, and the server must know which one to show.
  const tls = named && target.protocol === "https:" ? { serverName: target.hostname.replace(/\.$/, "") } : null;
  const request: BunFetchRequestInit = { ...init, ...UNLIMITED, headers, ...(tls ? { tls } : {}) };
  let last: unknown;
  for (const address of addresses) {
    const at = new URL(target);
    at.hostname = address.includes(":") ? `[${address}]` : address;
    try {
      return await plainFetch(at.href, request);
    } catch (error) {
      if (!wasRefused(error)) throw error;
      last = error;
    }
  }
  throw last;
};
