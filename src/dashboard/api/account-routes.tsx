import type { OwnAccount } from "#modules/users/own-account";

/** Who is signed in, and the way out. */
export type AccountRoutes = {
  "GET /api/me": { answer: ReturnType<OwnAccount["me"]> };
  "POST /api/auth/sign-out": { answer: null };
};
