/** A signed-in person's key to `/api`, as it is kept: never the key itself. Times are Unix milliseconds. */
export type Session = {
  readonly id: string;
  /** SHA-256 of the whole key, base64. */
  readonly hash: string;
  readonly user_id: string;
  readonly state: "active" | "revoked";
  readonly expires_at: number;
  readonly created_at: number;
};
