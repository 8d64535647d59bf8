import { AGENTS } from "#test/requirements/agents";
import { ALERTS } from "#test/requirements/alerts";
import { API } from "#test/requirements/api";
import { APPLY } from "#test/requirements/apply";
import { AUDIT } from "#test/requirements/audit";
import { BACKUPS } from "#test/requirements/backups";
import { CHAT } from "#test/requirements/chat";
import { CLUSTER } from "#test/requirements/cluster";
import { CONNECT } from "#test/requirements/connect";
import { CONTENT } from "#test/requirements/content";
import { DASHBOARD } from "#test/requirements/dashboard";
import { ELICITATION } from "#test/requirements/elicitation";
import { ENFORCEMENT } from "#test/requirements/enforcement";
import { FAIRNESS } from "#test/requirements/fairness";
import { HUB } from "#test/requirements/hub";
import { LOCAL } from "#test/requirements/local";
import { MESSAGES } from "#test/requirements/messages";
import { MONEY } from "#test/requirements/money";
import { OAUTH } from "#test/requirements/oauth";
import { OTEL } from "#test/requirements/otel";
import { POLICY } from "#test/requirements/policy";
import { POSTGRES } from "#test/requirements/postgres";
import { PROVIDERS } from "#test/requirements/providers";
import { RELEASE } from "#test/requirements/release";
import { REPORTS } from "#test/requirements/reports";
import type { Requirement } from "#test/requirements/requirement";
import { RESPONSES } from "#test/requirements/responses";
import { RESTRICTIONS } from "#test/requirements/restrictions";
import { REVIEWER } from "#test/requirements/reviewer";
import { REVIEWS } from "#test/requirements/reviews";
import { SCAN } from "#test/requirements/scan";
import { SIGN_IN } from "#test/requirements/sign-in";
import { SMALL_APIS } from "#test/requirements/small-apis";
import { STREAM } from "#test/requirements/stream";
import { TOKENS } from "#test/requirements/tokens";
import { TOOL_SERVERS } from "#test/requirements/tool-servers";
import { TOOLS } from "#test/requirements/tools";
import { TUNING } from "#test/requirements/tuning";
import { VERDICTS } from "#test/requirements/verdicts";
import { WEBHOOKS } from "#test/requirements/webhooks";

/** What the product promises; each promise stands in the file of its area. Each must be cited by a test: see `requirements/requirements.test.ts`. */
export const REQUIREMENTS: readonly Requirement[] = [
  ...HUB,
  ...OTEL,
  ...FAIRNESS,
  ...API,
  ...CHAT,
  ...MESSAGES,
  ...RESPONSES,
  ...PROVIDERS,
  ...SMALL_APIS,
  ...STREAM,
  ...SCAN,
  ...APPLY,
  ...AUDIT,
  ...BACKUPS,
  ...MONEY,
  ...POSTGRES,
  ...CLUSTER,
  ...TOKENS,
  ...SIGN_IN,
  ...OAUTH,
  ...TOOLS,
  ...ELICITATION,
  ...TOOL_SERVERS,
  ...AGENTS,
  ...REVIEWS,
  ...RESTRICTIONS,
  ...ENFORCEMENT,
  ...CONTENT,
  ...WEBHOOKS,
  ...ALERTS,
  ...DASHBOARD,
  ...REPORTS,
  ...REVIEWER,
  ...TUNING,
  ...RELEASE,
  ...LOCAL,
  ...VERDICTS,
  ...CONNECT,
  ...POLICY,
];
