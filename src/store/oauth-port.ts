import type { Bearer, OAuthClient, OAuthConnection } from "#model/oauth/client";
import type { ToolAllowlist } from "#model/tools/tool-scope";
import type { SerialisedRecord } from "./record";

/** A refresh token as the token endpoint has to know it before it is used. Times are Unix milliseconds. */
export type RefreshState = {
  readonly client_id: string;
  readonly user_id: string;
  /** What all tokens have in common that come from one consent. Null for none that is known. */
  readonly grant_id: string | null;
  readonly resources: readonly string[];
  readonly scopes: readonly string[];
  /** Until when it may be used again after it was; null when it was not used yet. */
  readonly reusable_until: number | null;
};

/** What a client may use of a user's tools, said at a moment. */
export type Allowance = {
  readonly client_id: string;
  readonly user_id: string;
  readonly tools: ToolAllowlist;
  readonly at: number;
};

/** Clients of the tool gateway and what people granted them. Tokens come and go as hashes. */
export type OAuthStore = {
  /** Whether `verifyBearer` returns no promise. */
  readonly answersAtOnce: boolean;
  /** Of those that nobody ever let in only the newest `most` are kept. */
  register(client: OAuthClient, resource: string, most: number, record: SerialisedRecord): Promise<void>;
  client(id: string): Promise<OAuthClient | null>;
  /** Keeps what a client's document says, if it is new or says something new. */
  describe(client: OAuthClient, resource: string, record: SerialisedRecord): Promise<void>;
  /** The id of the client that the hub's addresses call so; null for none. */
  clientId(handle: string): Promise<string | null>;
  /** All of them, newest first. */
  clients(): Promise<OAuthClient[]>;
  /** A disabled one gets nothing and opens nothing, from the next request on. False for none of that id. */
  setDisabled(clientId: string, disabled: boolean, record: SerialisedRecord): Promise<boolean>;

  /** Of the user, or everybody's; the newest client first. */
  connections(userId: string | null): Promise<OAuthConnection[]>;
  /** Whether the user has let the client in and not disconnected it since. */
  hasConsented(clientId: string, userId: string): Promise<boolean>;
  /** With the consent: what the client may use of the user's tools from now on. */
  allow(allowance: Allowance, record: SerialisedRecord): Promise<void>;
  /** Later. False when the user let no such client in. */
  reallow(allowance: Allowance, record: SerialisedRecord): Promise<boolean>;
  /** Everything the client holds of the user, and the list. False when there was nothing. */
  revokeConnection(clientId: string, userId: string, record: SerialisedRecord): Promise<boolean>;

  /**
   * What the access token opens at `now`; null for nothing. A store that needs not wait for its database answers at
   * once: it is asked at every call of the gateway.
   */
  verifyBearer(tokenHash: string, resource: string, now: number): Bearer | null | Promise<Bearer | null>;
  /** Whether the code was ever given out, as far as there is anything of it. */
  knowsCode(codeHash: string): Promise<boolean>;
  /** Of any refresh token that is still known, used or not, whose client and user are good. */
  refreshState(tokenHash: string, now: number): Promise<RefreshState | null>;
  /**
   * Ends all tokens that come from the same consent as this access or refresh token, if it is the client's. Returns
   * whose they were; null for none. The record is made of that.
   */
  revokeGrant(
    tokenHash: string,
    clientId: string,
    record: (userId: string) => SerialisedRecord,
  ): Promise<{ readonly user_id: string } | null>;

  /** Whether nobody else is at this token now; then nobody is until `until` or `endTurn`. */
  acquireTurn(tokenHash: string, now: number, until: number): Promise<boolean>;
  endTurn(tokenHash: string): Promise<void>;
  /** Clears out tokens that have ended, and clients that nobody ever let in and that registered before `before`. */
  sweepOAuth(now: number, before: number): Promise<void>;
};
