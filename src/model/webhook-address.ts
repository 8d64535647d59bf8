import { type IpRange, inRange, isPublic, parseAddress } from "#core/ip-range";

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
