/*
 * Internet addresses and the networks they are in. Which addresses are somebody's on the public internet is said by
 * IANA's special-purpose registries (RFC 6890); everything they keep for other ends is no public address here.
 */

export type IpAddress = { readonly bits: 32 | 128; readonly value: bigint };
export type IpRange = IpAddress & { readonly prefix: number };

const OCTET = /^(?:0|[1-9]\d{0,2})$/;

/** Dotted decimal only: `0x7f.1`, `017700000001` and the like are no addresses. */
const parse4 = (text: string): bigint | null => {
  const parts = text.split(".");
  if (parts.length !== 4) return null;
  let value = 0n;
  for (const part of parts) {
    if (!OCTET.test(part) || Number(part) > 255) return null;
    value = (value << 8n) | BigInt(part);
  }
  return value;
};

/** The 16-bit groups of one side of `::`; the last of them may be written as an IPv4 address. */
const groupsOf = (text: string, mayEndIn4: boolean): bigint[] | null => {
  if (text === "") return [];
  const parts = text.split(":");
  const groups: bigint[] = [];
  for (const [at, part] of parts.entries()) {
    if (mayEndIn4 && at === parts.length - 1 && part.includes(".")) {
      const tail = parse4(part);
      if (tail === null) return null;
      groups.push(tail >> 16n, tail & 0xffffn);
    } else if (/^[0-9a-fA-F]{1,4}$/.test(part)) {
      groups.push(BigInt(`0x${part}`));
    } else {
      return null;
    }
  }
  return groups;
};

const parse6 = (text: string): bigint | null => {
  const [left = "", right, ...more] = text.split("::");
  if (more.length > 0) return null;
  const head = groupsOf(left, right === undefined);
  const tail = right === undefined ? [] : groupsOf(right, true);
  if (head === null || tail === null) return null;
  const missing = 8 - head.length - tail.length;
  // `::` stands for one group or more.
  if (right === undefined ? missing !== 0 : missing < 1) return null;
  const groups = [...head, ...Array.from({ length: missing }, () => 0n), ...tail];
  return groups.reduce((value, group) => (value << 16n) | group, 0n);
};

/** Null for what is no address, which includes IPv6 with a zone (`fe80::1%eth0`). */
export const parseAddress = (text: string): IpAddress | null => {
  const bits = text.includes(":") ? 128 : 32;
  const value = bits === 128 ? parse6(text) : parse4(text);
  return value === null ? null : { bits, value };
};

/** CIDR notation, e.g. `10.1.0.0/16`. Bits behind the prefix are ignored. Null for what is none. */
export const parseRange = (text: string): IpRange | null => {
  const [address = "", prefix = "", ...more] = text.split("/");
  const parsed = parseAddress(address);
  if (parsed === null || more.length > 0 || !OCTET.test(prefix) || Number(prefix) > parsed.bits) return null;
  return { ...parsed, prefix: Number(prefix) };
};

export const inRange = (address: IpAddress, range: IpRange): boolean => {
  const ignored = BigInt(range.bits - range.prefix);
  return address.bits === range.bits && address.value >> ignored === range.value >> ignored;
};

const ranges = (...texts: readonly string[]): readonly IpRange[] =>
  texts.map((text) => {
    const range = parseRange(text);
    if (range === null) throw new TypeError(`Not a network: ${text}`);
    return range;
  });

const SPECIAL_4 = ranges(
  "0.0.0.0/8", // "this network"; Linux takes 0.0.0.0 for itself
  "10.0.0.0/8",
  "100.64.0.0/10", // carrier-grade NAT; Alibaba's metadata
  "127.0.0.0/8",
  "168.63.129.16/32", // Azure's host agent, although the address looks public
  "169.254.0.0/16", // link-local: the metadata service of most clouds
  "172.16.0.0/12",
  "192.0.0.0/24", // protocol assignments; metadata at Oracle
  "192.0.2.0/24", // documentation
  "192.88.99.0/24", // 6to4 relays
  "192.168.0.0/16",
  "198.18.0.0/15", // benchmarks
  "198.51.100.0/24", // documentation
  "203.0.113.0/24", // documentation
  "224.0.0.0/4", // multicast
  "240.0.0.0/4", // reserved, broadcast
);

/** Loopback, local, mapped, NAT64 and all else lies outside of what is given out to anyone. */
const GIVEN_OUT_6 = ranges("2000::/3");
const SPECIAL_6 = ranges(
  "2001::/23", // protocol assignments: Teredo, benchmarks, ORCHID
  "2001:db8::/32", // documentation
  "2002::/16", // 6to4: an IPv4 address inside
  "3fff::/20", // documentation
);

/** Whether anyone on the internet may have this address, and nobody has it by being near. */
export const isPublic = (address: IpAddress): boolean => {
  const within = (list: readonly IpRange[]) => list.some((range) => inRange(address, range));
  return address.bits === 32 ? !within(SPECIAL_4) : within(GIVEN_OUT_6) && !within(SPECIAL_6);
};

const LOOPBACK_NAME = /^(?:localhost|.+\.localhost|\[::1\])$/;
const LOOPBACK_NETWORK = parseRange("127.0.0.0/8");

/** Whether a host name means the machine itself. */
export const isLoopback = (name: string): boolean => {
  if (LOOPBACK_NAME.test(name)) return true;
  const address = parseAddress(name);
  return address !== null && LOOPBACK_NETWORK !== null && inRange(address, LOOPBACK_NETWORK);
};

/** How an address looks that has no user name, no password and no fragment, for documents. */
export const PLAIN_URL = "^[Hh][Tt][Tt][Pp][Ss]?://[^\\s/?#@\\\\]+([/?][^\\s#]*)?$";

/**
 * What is wrong with a receiver's URL as it is written; null for nothing. What its name stands for is checked when
 * something is sent, each time.
 */
export const addressProblem = (
  text: string,
  allowed: readonly IpRange[],
  setting = "webhooks.allow_private",
): string | null => {
  const url = URL.parse(text);
  if (url === null || (url.protocol !== "https:" && url.protocol !== "http:")) return "The URL must be an https one.";
  if (url.username !== "" || url.password !== "") return "The URL must not hold a user name or password.";
  if (url.hash !== "") return "The URL must not have a fragment: nothing of it would be sent.";
  if (url.protocol === "http:" && allowed.length === 0) {
    return `The URL must be an https one. Plain http is for networks of ${setting}.`;
  }
  const address = parseAddress(url.hostname.replace(/^\[|\]$/g, ""));
  if (address === null || allowed.some((range) => inRange(address, range))) return null;
  if (url.protocol === "http:" || !isPublic(address)) {
    return `The URL's address is not public. An operator can allow its network with ${setting}.`;
  }
  return null;
};
