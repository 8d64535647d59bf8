import init from "./0001_init.sql" with { type: "text" };
import records from "./0002_records.sql" with { type: "text" };
import anchors from "./0003_anchors.sql" with { type: "text" };
import sharedState from "./0004_shared_state.sql" with { type: "text" };
import money from "./0005_money.sql" with { type: "text" };
import views from "./0006_views.sql" with { type: "text" };
import trafficDays from "./0007_traffic_days.sql" with { type: "text" };
import alerts from "./0008_alerts.sql" with { type: "text" };
import triage from "./0009_triage.sql" with { type: "text" };
import registry from "./0010_registry.sql" with { type: "text" };
import elicitation from "./0011_elicitation.sql" with { type: "text" };
import resources from "./0012_resources.sql" with { type: "text" };
import proposals from "./0013_proposals.sql" with { type: "text" };
import hookSources from "./0014_hook_sources.sql" with { type: "text" };

/** In order: the one at index `n` leads from version n to n + 1. Never edited once released. */
export const MIGRATIONS: readonly string[] = [
  init,
  records,
  anchors,
  sharedState,
  money,
  views,
  trafficDays,
  alerts,
  triage,
  registry,
  elicitation,
  resources,
  proposals,
  hookSources,
];
