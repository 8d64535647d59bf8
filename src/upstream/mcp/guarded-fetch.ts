import { lookup } from "node:dns/promises";
import { type IpRange, inRange, isPublic, parseAddress, parseRange } from "#core/ip-range";
import type { ToolServer } from "#core/tool";
import { ToolFailure } from "#upstream/tool-port";
import type { ToolFetch } from "./port";

/*
 * Requests to addresses that others gave (SSRF). A name is resolved once, every address it has is checked, and the
 * connection is made to a checked address: a name that resolves to something else the next moment (DNS rebinding)
 * gains nothing. The certificate is still checked against the name.
 */

/** All addresses of a host name, in the order of preference. */
export type Resolve = (hostname: string) => Promise<readonly string[]>;

export type GuardedFetchOptions = {
  /** Networks in CIDR notation that may be connected to although they are not public. */
  readonly allowPrivate: readonly string[];
  /** Longest wait for the name's addresses, milliseconds. */
  readonly connectMs: number;
  /** The system's resolver, if not given. */
  readonly resolve?: Resolve;
};

/** More are not tried: a name with hundreds of addresses would hold a call for long. */
const MOST_ADDRESSES = 8;

const systemResolve: Resolve = async (hostname) =>
  (await lookup(hostname, { all: true })).map(({ address }) => address);

/** Bun's own: no limit on silence, ours decide. */
const UNLIMITED: BunFetchRequestInit = { redirect: "manual", timeout: false };

/** For URLs an operator gave: any address, but no redirects. */
export const operatorFetch = (): ToolFetch => {
  let known = "";
  return async (url, init) => {
    // Nearly all requests go to one address.
    if (url !== known) known = webUrl(url).href;
    return fetch(known, { ...init, ...UNLIMITED });
  };
};

/** For URLs given through `/api`, and for all that a server reached by one of them hands out. */
export const guardedFetch = ({ allowPrivate, connectMs, resolve = systemResolve }: GuardedFetchOptions): ToolFetch => {
  const allowed = allowPrivate.map(networkOf);
  return async (url, init) => {
    const target = webUrl(url);
    const hostname = target.hostname.replace(/^\[|\]$/g, "");
    const addresses = parseAddress(hostname)
      ? [hostname]
      : await resolved(hostname, resolve, connectMs, init.signal ?? null);
    if (!addresses.every((address) => mayConnect(address, allowed))) throw forbidden(target.hostname);
    return connect(target, addresses.slice(0, MOST_ADDRESSES), init);
  };
};

const networkOf = (text: string): IpRange => {
  const range = parseRange(text);
  if (range === null) throw new TypeError(`tool_gateway.allow_private: ${text} is not a network`);
  return range;
};

/** The parsed form also ends other spellings of addresses: `http://2130706433/` reads `127.0.0.1` from here on. */
const webUrl = (text: string): URL => {
  const url = URL.parse(text);
  if (url === null || (url.protocol !== "https:" && url.protocol !== "http:")) {
    throw new ToolFailure("forbidden_address", "Only http and https URLs are connected to.", false);
  }
  if (url.username !== "" || url.password !== "") {
    const message = `The URL of ${url.hostname} holds a user name or password: put credentials into a header.`;
    throw new ToolFailure("forbidden_address", message, false);
  }
  return url;
};

const mayConnect = (text: string, allowed: readonly IpRange[]): boolean => {
  const address = parseAddress(text);
  return address !== null && (isPublic(address) || allowed.some((range) => inRange(address, range)));
};

/** Does not say which address it is: that would tell outsiders what names mean inside. */
const forbidden = (hostname: string): ToolFailure =>
  new ToolFailure(
    "forbidden_address",
    `${hostname} is not a public address. An operator can allow its network with tool_gateway.allow_private.`,
    false,
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
    throw new ToolFailure("unreachable", `The name ${hostname} has no address.`, false, cause);
  } finally {
    limit.removeEventListener("abort", onEnd);
  }
  throw new ToolFailure("unreachable", `The name ${hostname} has no address.`, false);
};

/** Nobody took the connection, so nothing was sent and the next address can be tried. */
const wasRefused = (error: unknown): boolean =>
  error instanceof Error && "code" in error && ["ECONNREFUSED", "ConnectionRefused"].includes(String(error.code));

const connect = async (target: URL, addresses: readonly string[], init: RequestInit): Promise<Response> => {
  const headers = new Headers(init.headers);
  headers.set("host", target.host);
  const named = parseAddress(target.hostname.replace(/^\[|\]$/g, "")) === null;
  // The certificate must be the name's, and the server must know which one to show.
  const tls = named && target.protocol === "https:" ? { serverName: target.hostname.replace(/\.$/, "") } : null;
  const request: BunFetchRequestInit = { ...init, ...UNLIMITED, headers, ...(tls ? { tls } : {}) };
  let last: unknown;
  for (const address of addresses) {
    const at = new URL(target);
    at.hostname = address.includes(":") ? `[${address}]` : address;
    try {
      return await fetch(at.href, request);
    } catch (error) {
      if (!wasRefused(error)) throw error;
      last = error;
    }
  }
  throw last;
};

/** Which of the two a server is reached with: an operator may name any address, users only public ones. */
export const fetchFor = (options: GuardedFetchOptions): ((server: ToolServer) => ToolFetch) => {
  const guarded = guardedFetch(options);
  return ({ given_by }) => (given_by === "operator" ? operatorFetch() : guarded);
};
