import { type Credential, CredentialFailure, type OutgoingRequest } from "#upstream/port";
import type { Renewed } from "./renewed";
import type { Secret } from "./secret";

/** Where a key goes: `authorization: Bearer KEY`, or a header of its own. */
export type KeyHeader = "authorization" | "x-api-key" | "api-key";

const NAMES = ["authorization", "x-api-key", "api-key"] as const satisfies readonly KeyHeader[];

/** A copy with the key in one header, and in no other. */
const withKey = (headers: Headers, name: KeyHeader, key: string): Headers => {
  const filled = new Headers(headers);
  for (const other of NAMES) filled.delete(other);
  filled.set(name, name === "authorization" ? `Bearer ${key}` : key);
  return filled;
};

/** For providers that ask for no key. */
export const NO_CREDENTIAL: Credential = {
  authorize: ({ headers }) => headers,
  renew: async () => false,
  secrets: () => [],
};

/** A key goes into a header: one line of visible ASCII (stops header injection). */
const checked = (key: string): string => {
  if (!/^[\x21-\x7e]{1,16384}$/.test(key)) throw new CredentialFailure("The key is not one line of visible ASCII.");
  return key;
};

/** A key as the provider gave it. */
export class KeyCredential implements Credential {
  /** Headers are the same for most requests: built once a key. */
  private filled: { readonly key: string; readonly from: Headers; readonly headers: Headers } | null = null;

  constructor(
    private readonly secret: Secret,
    private readonly header: KeyHeader,
  ) {}

  authorize({ headers }: OutgoingRequest): Headers | Promise<Headers> {
    const key = this.secret.read();
    return typeof key === "string" ? this.fill(headers, key) : key.then((read) => this.fill(headers, read));
  }

  renew(): Promise<boolean> {
    return this.secret.changed().catch(() => false);
  }

  secrets(): readonly string[] {
    return this.secret.latest === null ? [] : [this.secret.latest];
  }

  private fill(from: Headers, key: string): Headers {
    if (this.filled?.key === key && this.filled.from === from) return this.filled.headers;
    const headers = withKey(from, this.header, checked(key));
    this.filled = { key, from, headers };
    return headers;
  }
}

/** A token that an issuer gives and that ends. */
export class TokenCredential implements Credential {
  constructor(private readonly token: Renewed<string>) {}

  authorize({ headers }: OutgoingRequest, signal: AbortSignal): Headers | Promise<Headers> {
    const token = this.token.get(signal);
    if (typeof token === "string") return withKey(headers, "authorization", token);
    return token.then((issued) => withKey(headers, "authorization", issued));
  }

  async renew(): Promise<boolean> {
    return this.token.drop();
  }

  secrets(): readonly string[] {
    return this.token.latest === null ? [] : [this.token.latest];
  }
}
