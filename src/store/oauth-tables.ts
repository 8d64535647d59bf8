import type { ColumnKit } from "./columns";

/** What people let clients of the tool gateway do; the clients and their tokens are in `auth-tables.ts`. */
export const oauth = (kit: ColumnKit) => ({
  oauthAllowlist: kit.table(
    "oauth_allowlist",
    {
      client_id: kit.text().notNull(),
      user_id: kit.text().notNull(),
      /** Public names and patterns of them. */
      tools: kit.json().notNull(),
      created_at: kit.integer().notNull(),
      updated_at: kit.integer().notNull(),
    },
    (it) => [kit.primaryKey({ columns: [it.client_id, it.user_id] })],
  ),

  /** Who is at a code or refresh token right now. */
  oauthTurn: kit.table("oauth_turn", {
    token_hash: kit.text().primaryKey(),
    until: kit.integer().notNull(),
  }),
});
