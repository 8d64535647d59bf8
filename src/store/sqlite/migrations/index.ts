import init from "./0001_init.sql" with { type: "text" };
import tools from "./0002_tools.sql" with { type: "text" };
import governance from "./0003_governance.sql" with { type: "text" };
import loop from "./0004_loop.sql" with { type: "text" };
import outbox from "./0005_outbox.sql" with { type: "text" };
import event from "./0006_event.sql" with { type: "text" };
import signIn from "./0007_sign_in.sql" with { type: "text" };
import masterKey from "./0008_master_key.sql" with { type: "text" };
import oauth from "./0009_oauth.sql" with { type: "text" };
import fresh from "./0010_fresh_session.sql" with { type: "text" };
import callIndex from "./0011_call_index.sql" with { type: "text" };
import management from "./0012_management.sql" with { type: "text" };
import oidc from "./0013_oidc.sql" with { type: "text" };
import policyEdits from "./0014_policy_edits.sql" with { type: "text" };
import callBlock from "./0015_call_block.sql" with { type: "text" };
import halts from "./0016_halts.sql" with { type: "text" };
import agentsTraffic from "./0017_agents_traffic.sql" with { type: "text" };
import storage from "./0018_storage.sql" with { type: "text" };
import retention from "./0019_retention.sql" with { type: "text" };
import chainedCheckpoints from "./0020_chained_checkpoints.sql" with { type: "text" };
import lists from "./0021_lists.sql" with { type: "text" };
import usageDay from "./0022_usage_day.sql" with { type: "text" };
import signedInBy from "./0023_signed_in_by.sql" with { type: "text" };
import toolServerChanged from "./0024_tool_server_changed.sql" with { type: "text" };
import providerKinds from "./0025_provider_kinds.sql" with { type: "text" };
import nodes from "./0026_nodes.sql" with { type: "text" };
import told from "./0027_told.sql" with { type: "text" };
import containment from "./0028_containment.sql" with { type: "text" };
import shared from "./0029_shared.sql" with { type: "text" };
import limits from "./0030_limits.sql" with { type: "text" };
import crashes from "./0031_crashes.sql" with { type: "text" };
import sharedState from "./0032_shared_state.sql" with { type: "text" };
import money from "./0033_money.sql" with { type: "text" };
import callColumns from "./0034_calls.sql" with { type: "text" };
import views from "./0035_views.sql" with { type: "text" };
import trafficDays from "./0036_traffic_days.sql" with { type: "text" };
import alerts from "./0037_alerts.sql" with { type: "text" };
import triage from "./0038_triage.sql" with { type: "text" };
import registry from "./0039_registry.sql" with { type: "text" };
import elicitation from "./0040_elicitation.sql" with { type: "text" };
import resources from "./0041_resources.sql" with { type: "text" };
import proposals from "./0042_proposals.sql" with { type: "text" };
import trees from "./0043_trees.sql" with { type: "text" };
import hookSources from "./0044_hook_sources.sql" with { type: "text" };

/** In order: the one at index `n` leads from `user_version` n to n + 1. Never edited once released. */
export const MIGRATIONS: readonly string[] = [
  init,
  tools,
  governance,
  loop,
  outbox,
  event,
  signIn,
  masterKey,
  oauth,
  fresh,
  callIndex,
  management,
  oidc,
  policyEdits,
  callBlock,
  halts,
  agentsTraffic,
  storage,
  retention,
  chainedCheckpoints,
  lists,
  usageDay,
  signedInBy,
  toolServerChanged,
  providerKinds,
  nodes,
  told,
  containment,
  shared,
  limits,
  crashes,
  sharedState,
  money,
  callColumns,
  views,
  trafficDays,
  alerts,
  triage,
  registry,
  elicitation,
  resources,
  proposals,
  trees,
  hookSources,
];
