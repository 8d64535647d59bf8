import { isRecord, type JsonRecord, parseJson } from "#core/json/json";
import { ToolFailure } from "#upstream/tool-port";
import { ByteBudget, discard, readText } from "./http-body";
import type { ToolFetch } from "./port";

/** With whom OAuth is spoken on behalf of one tool server. */
export type OAuthPeer = {
  readonly slug: string;
  /** The tool server's own address. */
  readonly url: string;
  /** The tool server's own: what it may not point at, its authorization server may not either. */
  readonly fetch: ToolFetch;
};

export type OAuthAnswer = {
  readonly status: number;
  readonly headers: Headers;
  /** Null for what is not a JSON object. */
  readonly body: JsonRecord | null;
};

/** Metadata and tokens are small. */
const MAX_BYTES = 262_144;
/** Longest wait for an answer, milliseconds. */
const ANSWER_MS = 10_000;

/** One request. Redirects are answers like others. Throws `ToolFailure`, which never quotes what was sent or answered. */
export const askOAuth = async (peer: OAuthPeer, url: string, init: RequestInit): Promise<OAuthAnswer> => {
  try {
    const response = await peer.fetch(url, { ...init, signal: AbortSignal.timeout(ANSWER_MS) });
    const { status, headers } = response;
    const isJson = /^application\/(?:[\w.-]+\+)?json\b/i.test(headers.get("content-type") ?? "");
    if (!isJson) {
      discard(response);
      return { status, headers, body: null };
    }
    const body = parseJson(await readText(response, new ByteBudget(MAX_BYTES, peer.slug)));
    return { status, headers, body: isRecord(body) ? body : null };
  } catch (error) {
    if (error instanceof ToolFailure) throw error;
    const message = `${new URL(url).host}, where ${peer.slug} has its sign-in, cannot be reached.`;
    throw new ToolFailure("unreachable", message, false, error);
  }
};

/**
 * An address somebody handed out, as it is written; null for what we do not go to. A server that is reached over TLS
 * cannot have secrets sent to places without.
 */
export const endpointOf = (peer: OAuthPeer, value: unknown): string | null => {
  const url = typeof value === "string" && value.length <= 2_048 ? URL.parse(value) : null;
  if (url === null || url.username !== "" || url.password !== "" || url.hash !== "") return null;
  const protocols = peer.url.startsWith("https:") ? ["https:"] : ["https:", "http:"];
  return protocols.includes(url.protocol) ? String(value) : null;
};

export const cannotSignIn = (peer: OAuthPeer, why: string): ToolFailure =>
  new ToolFailure("unauthorized", `No sign-in at ${peer.slug} is possible: ${why}.`, false);

export const isDown = (peer: OAuthPeer, url: string, status: number): ToolFailure => {
  const message = `${new URL(url).host}, where ${peer.slug} has its sign-in, answered with status ${status}. Try again later.`;
  return new ToolFailure("unreachable", message, false);
};
