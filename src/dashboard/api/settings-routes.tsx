import type { DoctorView, SettingsView, StorageHistoryView } from "#modules/operating/presenter";
import type { ReviewerResume, ReviewerState } from "#modules/report-desk/schema";
import type { Lifting, NewKillSwitch, ShownKillSwitch } from "#modules/restrictions/schema";
import type { NewInvitation, UserChange } from "#modules/users/schema";
import type { Invited, ShownUser } from "#modules/users/shown";
import type {
  IssuedWebhook,
  NewWebhook,
  Rotation,
  ShownDelivery,
  ShownWebhook,
  WebhookChange,
} from "#modules/webhooks/schema";
import type { List, Paging } from "./shapes";

/** The hub itself, people, webhooks, the reviewing model, the kill switch. */
export type SettingsRoutes = {
  "GET /api/settings": { answer: SettingsView };
  "GET /api/doctor": { answer: DoctorView };
  "GET /api/storage": { answer: StorageHistoryView };
  "GET /api/users": { query: Paging; answer: List<ShownUser> };
  "POST /api/users": { body: NewInvitation; answer: Invited };
  "PATCH /api/users/:id": { body: UserChange; answer: ShownUser };
  "POST /api/users/:id/invitation": { answer: Invited };
  "GET /api/webhooks": { query: Paging; answer: List<ShownWebhook> };
  "POST /api/webhooks": { body: NewWebhook; answer: IssuedWebhook };
  "GET /api/webhooks/:id": { answer: ShownWebhook };
  "PATCH /api/webhooks/:id": { body: WebhookChange; answer: ShownWebhook };
  "DELETE /api/webhooks/:id": { answer: ShownWebhook };
  "POST /api/webhooks/:id/rotate": { body: Rotation; answer: IssuedWebhook };
  "POST /api/webhooks/:id/test": { answer: ShownDelivery };
  "GET /api/webhooks/:id/deliveries": { query: Paging; answer: List<ShownDelivery> };
  "POST /api/webhooks/deliveries/:did/replay": { answer: ShownDelivery };
  "GET /api/reviewer": { answer: ReviewerState };
  "POST /api/reviewer/resume": { body: ReviewerResume; answer: ReviewerState };
  "GET /api/killswitch": { query: Paging; answer: List<ShownKillSwitch> };
  "POST /api/killswitch": { body: NewKillSwitch; answer: ShownKillSwitch };
  "POST /api/killswitch/:id/lift": { body: Lifting; answer: ShownKillSwitch };
};
