import type { AccountRoutes } from "./account-routes";
import type { AgentRoutes } from "./agent-routes";
import type { BackupRoutes } from "./backup-routes";
import type { ClientRoutes, GuardRoutes, ToolRoutes } from "./connect-routes";
import type { DecideRoutes } from "./decide-routes";
import type { KeyRoutes } from "./key-routes";
import type { PolicyRoutes } from "./policy-routes";
import type { ReviewRoutes } from "./review-routes";
import type { SettingsRoutes } from "./settings-routes";
import type { WatchRoutes } from "./watch-routes";

/**
 * What the dashboard asks the hub, and of what shape the answers are: the types are those of the server's own
 * presenters and schemas. `test/dashboard/routes.test.ts` sees that every address here is served.
 */
export type Routes = AccountRoutes &
  AgentRoutes &
  BackupRoutes &
  ClientRoutes &
  DecideRoutes &
  GuardRoutes &
  KeyRoutes &
  PolicyRoutes &
  ReviewRoutes &
  SettingsRoutes &
  ToolRoutes &
  WatchRoutes;
