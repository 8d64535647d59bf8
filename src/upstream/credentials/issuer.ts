import { isRecord, type JsonRecord, parseJson } from "#core/json/json";
import { textWithin } from "#upstream/answer-limit";
import type { GuardedFetch } from "#upstream/guarded-fetch";
import { CredentialFailure } from "#upstream/port";

/** How long an issuer may take, milliseconds. */
const LIMIT_MS = 10_000;
/** Tokens and keys have a few KiB. */
const MAX_BYTES = 65_536;

/** Who is asked, as operators are told: nothing of a URL or an answer is ever in a message. */
export type Issuer = {
  readonly called: string;
  readonly fetch: GuardedFetch;
};

/** What an issuer answers with status 200. Throws `CredentialFailure`. */
export const textFrom = async ({ called, fetch }: Issuer, url: string, init: RequestInit): Promise<string> => {
  const response = await fetch(url, { ...init, redirect: "manual", signal: AbortSignal.timeout(LIMIT_MS) }).catch(
    (cause: unknown) => {
      throw new CredentialFailure(`${called} cannot be reached.`, { cause });
    },
  );
  const text = await textWithin(response, MAX_BYTES).catch((cause: unknown) => {
    throw new CredentialFailure(`${called} broke off its answer, or said too much.`, { cause });
  });
  if (response.status !== 200) throw new CredentialFailure(`${called} answered with status ${response.status}.`);
  return text;
};

/** The same as a JSON object. */
export const jsonFrom = async (issuer: Issuer, url: string, init: RequestInit): Promise<JsonRecord> => {
  const body = parseJson(await textFrom(issuer, url, init));
  if (!isRecord(body)) throw unreadable(issuer);
  return body;
};

export const unreadable = ({ called }: Issuer): CredentialFailure =>
  new CredentialFailure(`${called} gave an answer the hub does not understand.`);

/** A text of the answer that may stand in a header. Throws `CredentialFailure`. */
export const fieldOf = (issuer: Issuer, body: JsonRecord, name: string): string => {
  const value = body[name];
  if (typeof value !== "string" || !/^[\x21-\x7e]{1,16384}$/.test(value)) throw unreadable(issuer);
  return value;
};

/** An OAuth 2.0 access token, RFC 6749 §5.1. */
export const accessToken = (issuer: Issuer, body: JsonRecord, now: number) => {
  const seconds = Number(body["expires_in"]);
  if (!Number.isFinite(seconds) || seconds <= 0) throw unreadable(issuer);
  return { value: fieldOf(issuer, body, "access_token"), expiresAt: now + seconds * 1_000 };
};

export const form = (fields: Readonly<Record<string, string>>): RequestInit => ({
  method: "POST",
  headers: { "content-type": "application/x-www-form-urlencoded" },
  body: new URLSearchParams(fields).toString(),
});
