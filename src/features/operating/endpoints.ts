import { type Audience, type ClientTypes, endpoint, personRouter, type RouterNeeds } from "#http/endpoint";
import type { User } from "#model/person";
import { type Clock, timestamp } from "#platform/clock";
import type { Operating } from "./port";
import { DoctorView, SettingsView, StorageHistoryView } from "./schema";
import type { StorageService } from "./storage";

type OperatingEndpointNeeds = {
  readonly operating: Operating;
  readonly storage: StorageService;
  readonly publicUrl: () => string;
  readonly now: Clock;
};

const OPERATORS: Audience = { roles: ["admin", "auditor"] };

/** What the hub says of itself, for those who look after it; and to everybody what concerns them. */
const operatingEndpoints = (needs: OperatingEndpointNeeds) =>
  [
    endpoint("GET /api/settings", {
      summary: "Get the settings of the hub",
      answers: { 200: SettingsView },
      handler: ({ person }) => settingsFor(person.user, needs),
    }),
    endpoint("GET /api/storage", {
      summary: "Get storage usage, growth and forecast",
      auth: OPERATORS,
      answers: { 200: StorageHistoryView },
      handler: () => needs.storage.view(),
    }),
    endpoint("GET /api/doctor", {
      summary: "Check the installation, with remedies",
      auth: OPERATORS,
      answers: { 200: DoctorView },
      handler: () => diagnosis(needs.operating),
    }),
  ] as const;

const settingsFor = ({ role }: User, { operating, publicUrl, now }: OperatingEndpointNeeds): SettingsView => {
  const isKeeper = role === "admin" || role === "auditor";
  const { startedAt } = operating;
  return {
    object: "settings",
    public_url: publicUrl(),
    version: operating.version,
    guard_mode: operating.guardMode,
    audit_retention_days: operating.auditRetentionDays,
    keep_blocked_hours: operating.keepBlockedHours,
    reviewer_model: operating.reviewerModel,
    password_sign_in: operating.passwordSignIn,
    sign_in_provider: operating.signInProvider,
    listen: isKeeper ? operating.listen : null,
    commit: isKeeper ? operating.commit : null,
    started_at: isKeeper ? timestamp(startedAt) : null,
    uptime_s: isKeeper ? Math.floor((now() - startedAt) / 1_000) : null,
    storage: isKeeper ? operating.storage() : null,
    configuration: isKeeper ? operating.configuration() : null,
    command_place: isKeeper ? operating.place : null,
  };
};

const diagnosis = async ({ checks }: Operating): Promise<DoctorView> => {
  const found = await checks();
  return { object: "doctor", ok: found.every(({ state }) => state !== "fail"), checks: found };
};

export type OperatingClient = ClientTypes<ReturnType<typeof operatingEndpoints>[number]>;

export const operatingRoutes = (needs: OperatingEndpointNeeds & Omit<RouterNeeds, "tag">) =>
  personRouter({ ...needs, tag: "Operating" }, operatingEndpoints(needs));
