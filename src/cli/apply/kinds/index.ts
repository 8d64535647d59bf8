import type { AnyKind } from "#cli/apply/kind";
import { agents } from "./agents";
import { alertRules, destinations } from "./alerts";
import { budgets, prices } from "./money";
import { policy } from "./policy";
import { profiles } from "./profiles";
import { providers } from "./providers";
import { restrictions } from "./restrictions";
import { toolServers } from "./tool-servers";
import { users } from "./users";
import { webhooks } from "./webhooks";

/** In the order in which what is new is made: what others name comes before them. What is removed goes the other way. */
export const KINDS: readonly AnyKind[] = [
  users,
  providers,
  agents,
  // What narrows comes before what gives.
  restrictions,
  policy,
  profiles,
  budgets,
  prices,
  toolServers,
  webhooks,
  destinations,
  alertRules,
];
