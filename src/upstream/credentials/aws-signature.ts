import { AwsV4Signer } from "aws4fetch";
import { signingServiceOf } from "#model/provider";
import type { Clock } from "#platform/clock";
import type { Credential, OutgoingRequest } from "#upstream/port";
import type { Renewed } from "./renewed";

export type AwsKeys = {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Temporary keys have one. */
  readonly sessionToken: string | null;
};

export type AwsScope = { readonly region: string; readonly service: string };

/** Signing keys by what they are derived from: secret, day, region and service. */
type DerivedKeys = Map<string, ArrayBuffer>;
/** Those of today, and of yesterday or of keys that were just replaced. */
const MAX_DERIVED = 4;

/** Signature Version 4 over the headers given, host and date: docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv.html. */
export const signedHeaders = async (
  { method, url, headers, body }: OutgoingRequest,
  { accessKeyId, secretAccessKey, sessionToken }: AwsKeys,
  { region, service }: AwsScope,
  now: number,
  derived: DerivedKeys = new Map(),
): Promise<Headers> => {
  const datetime = new Date(now).toISOString().replace(/[:-]|\.\d{3}/g, "");
  const signer = new AwsV4Signer({
    method,
    url,
    headers,
    body,
    accessKeyId,
    secretAccessKey,
    region,
    service,
    datetime,
    ...(sessionToken !== null && { sessionToken }),
    cache: derived,
    allHeaders: true,
  });
  return (await signer.sign()).headers;
};

/** Headers that proxies and the runtime may change on the way: sent, and not signed. */
const UNSIGNED = ["accept-encoding", "user-agent", "connection", "authorization"] as const;

type SignatureNeeds = {
  readonly keys: Renewed<AwsKeys>;
  readonly region: string;
  readonly now: Clock;
};

/** Signs every request with the keys of AWS that are in force. */
export class AwsCredential implements Credential {
  private readonly derived: DerivedKeys = new Map();

  constructor(private readonly needs: SignatureNeeds) {}

  async authorize(request: OutgoingRequest, signal: AbortSignal): Promise<Headers> {
    const { keys, region, now } = this.needs;
    const scope = { region, service: signingServiceOf(request.url) };
    const signed = new Headers(request.headers);
    for (const name of UNSIGNED) signed.delete(name);
    if (this.derived.size >= MAX_DERIVED) this.derived.clear();
    const given = { ...request, headers: signed };
    const headers = await signedHeaders(given, await keys.get(signal), scope, now(), this.derived);
    for (const name of UNSIGNED) {
      const value = request.headers.get(name);
      if (value !== null && name !== "authorization") headers.set(name, value);
    }
    return headers;
  }

  async renew(): Promise<boolean> {
    return this.needs.keys.drop();
  }

  secrets(): readonly string[] {
    const { latest } = this.needs.keys;
    if (latest === null) return [];
    const { secretAccessKey, sessionToken } = latest;
    return sessionToken === null ? [secretAccessKey] : [secretAccessKey, sessionToken];
  }
}
