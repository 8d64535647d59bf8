import type { SignedOut } from "#modules/sign-in/schema";
import type { Confirmation, PasswordChange } from "#modules/users/schema";
import type { Me, ShownSession } from "#modules/users/shown";
import type { List, Paging } from "./shapes";

/** Who is signed in, with what, and the way out. */
export type AccountRoutes = {
  "GET /api/me": { answer: Me };
  "POST /api/me/confirm": { body: Confirmation; answer: null };
  "POST /api/me/password": { body: PasswordChange; answer: null };
  "GET /api/me/sessions": { query: Paging; answer: List<ShownSession> };
  "DELETE /api/me/sessions/:id": { answer: null };
  "POST /api/auth/sign-out": { answer: SignedOut | null };
};
