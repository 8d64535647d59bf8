import type { IssuedTokenView, RotatedTokenView, TokenView } from "#modules/access/presenter";
import type { NewTokenBody, TokenRotation } from "#modules/access/schema";
import type { ProviderCheckView, ProviderView } from "#modules/providers/presenter";
import type { NewProviderBody, ProviderChange } from "#modules/providers/schema";
import type { List, Paging } from "./shapes";

type TokenQuery = Paging & {
  readonly all?: string | undefined;
  readonly agent_id?: string | undefined;
  readonly state?: string | undefined;
};

/** Gateway tokens, which people call keys, and what they lead to. */
export type KeyRoutes = {
  "GET /api/tokens": { query: TokenQuery; answer: List<TokenView> };
  "POST /api/tokens": { body: NewTokenBody; answer: IssuedTokenView };
  "POST /api/tokens/:id/rotate": { body: TokenRotation; answer: RotatedTokenView };
  "POST /api/tokens/:id/disable": { answer: TokenView };
  "POST /api/tokens/:id/enable": { answer: TokenView };
  "POST /api/tokens/:id/revoke": { answer: TokenView };
  "GET /api/providers": { answer: List<ProviderView> };
  "POST /api/providers": { body: NewProviderBody; answer: ProviderView };
  "PATCH /api/providers/:id": { body: ProviderChange; answer: ProviderView };
  "DELETE /api/providers/:id": { answer: ProviderView };
  "POST /api/providers/:id/test": { answer: ProviderCheckView };
};
