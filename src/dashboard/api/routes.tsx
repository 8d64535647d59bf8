import type { TokenClient } from "#features/access/endpoints";
import type { AgentClient } from "#features/agents/endpoints";
import type { AlertClient } from "#features/alerts/endpoints";
import type { AuditClient } from "#features/audit/endpoints";
import type { BackupClient } from "#features/backups/endpoints";
import type { CallClient } from "#features/calls/endpoints";
import type { ContentClient } from "#features/content/endpoints";
import type { EvidenceClient } from "#features/evidence/endpoints";
import type { HealthClient } from "#features/health/endpoints";
import type { HoldClient } from "#features/holds/endpoints";
import type { InboxClient } from "#features/inbox/endpoints";
import type { JobClient } from "#features/jobs/endpoints";
import type { MapClient } from "#features/map/endpoints";
import type { MoneyClient } from "#features/money/endpoints";
import type { NoticeClient } from "#features/notices/endpoints";
import type { ConnectedAppClient } from "#features/oauth/client-endpoints";
import type { OperatingClient } from "#features/operating/endpoints";
import type { OverviewClient } from "#features/overview/endpoints";
import type { PolicyClient } from "#features/policy/endpoints";
import type { ProviderClient } from "#features/providers/endpoints";
import type { ProofClient } from "#features/proofs/endpoints";
import type { ProposalClient } from "#features/registry/proposal-endpoints";
import type { ReportReviewClient } from "#features/report-review/endpoints";
import type { ReportClient } from "#features/reports/endpoints";
import type { RestrictionClient } from "#features/restrictions/endpoints";
import type { ReviewClient } from "#features/reviews/endpoints";
import type { ScanClient } from "#features/scan/endpoints";
import type { SignInClient } from "#features/sign-in/endpoints";
import type { ToolServerClient } from "#features/tool-servers/endpoints";
import type { TuningClient } from "#features/tuning/endpoints";
import type { UserClient } from "#features/users/endpoints";
import type { HookSourceClient } from "#features/verdicts/sources/endpoints";
import type { ViewClient } from "#features/views/endpoints";
import type { WebhookClient } from "#features/webhooks/endpoints";

/** What the dashboard asks the hub, and of what shape the answers are: the types of the hub's own endpoints. */
export type Routes = AgentClient &
  AlertClient &
  AuditClient &
  BackupClient &
  CallClient &
  ConnectedAppClient &
  ContentClient &
  EvidenceClient &
  HealthClient &
  HoldClient &
  InboxClient &
  JobClient &
  MapClient &
  MoneyClient &
  NoticeClient &
  OperatingClient &
  OverviewClient &
  PolicyClient &
  ProposalClient &
  ProviderClient &
  ProofClient &
  ReportClient &
  ReportReviewClient &
  RestrictionClient &
  ReviewClient &
  ScanClient &
  SignInClient &
  TokenClient &
  ToolServerClient &
  TuningClient &
  UserClient &
  ViewClient &
  WebhookClient &
  HookSourceClient;
