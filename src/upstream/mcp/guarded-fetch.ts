import type { ToolServer } from "#model/tools/tool";
import { guardedFetch as guarded, NotConnected, type Resolve, UNLIMITED, webUrl } from "#upstream/guarded-fetch";
import { plainFetch } from "#upstream/plain-fetch";
import { ToolFailure } from "#upstream/tool-port";
import type { ToolFetch } from "./port";

export type { Resolve } from "#upstream/guarded-fetch";

export type ToolFetchOptions = {
  /** Networks in CIDR notation that may be connected to although they are not public. */
  readonly allowPrivate: readonly string[];
  /** Longest wait for the name's addresses, milliseconds. */
  readonly connectMs: number;
  /** The system's resolver, if not given. */
  readonly resolve?: Resolve;
};

/** For URLs an operator gave: any address, but no redirects. */
export const operatorFetch = (): ToolFetch => {
  let known = "";
  return asToolFetch(async (url, init) => {
    // Nearly all requests go to one address.
    if (url !== known) known = webUrl(url).href;
    return plainFetch(known, { ...init, ...UNLIMITED });
  });
};

/** For URLs given through `/api`, and for all that a server reached by one of them hands out. */
export const guardedFetch = (options: ToolFetchOptions): ToolFetch =>
  asToolFetch(guarded({ ...options, setting: "tool_gateway.allow_private", http: "anywhere" }));

/** Says in the words of tool servers why nothing was sent. */
const asToolFetch =
  (fetch: ToolFetch): ToolFetch =>
  async (url, init) => {
    try {
      return await fetch(url, init);
    } catch (error) {
      if (!(error instanceof NotConnected)) throw error;
      throw new ToolFailure(error.reason, error.message, false, error.cause);
    }
  };

/** Which of the two a server is reached with: an operator may name any address, users only public ones. */
export const fetchFor = (options: ToolFetchOptions): ((server: ToolServer) => ToolFetch) => {
  const guarded = guardedFetch(options);
  return ({ given_by }) => (given_by === "operator" ? operatorFetch() : guarded);
};
