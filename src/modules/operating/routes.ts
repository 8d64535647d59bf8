import { Elysia } from "elysia";
import type { User } from "#core/person";
import { detailOf } from "#http/openapi/about";
import type { signedInPerson } from "#http/person";
import { type Clock, timestamp } from "#platform/clock";
import type { Operating } from "./port";
import { DoctorView, SettingsView, StorageHistoryView } from "./presenter";
import type { StorageDesk } from "./storage";

type Deps = {
  readonly operating: Operating;
  readonly storage: StorageDesk;
  readonly publicUrl: () => string;
  readonly now: Clock;
  readonly door: ReturnType<typeof signedInPerson>;
};

/** What the hub says of itself, for those who look after it; and to everybody what concerns them. */
export const operatingRoutes = (deps: Deps) =>
  new Elysia({ name: "operating" })
    .use(deps.door)
    .get("/api/settings", ({ person }) => Response.json(settingsFor(person.user, deps)), {
      role: "person",
      detail: detailOf("Operating", "What the hub runs with", { answers: { 200: SettingsView } }),
    })
    .get("/api/storage", async () => Response.json(await deps.storage.view()), {
      role: { roles: ["admin", "auditor"] },
      detail: detailOf("Operating", "How much the hub keeps, how fast it grows and how long the disk lasts", {
        answers: { 200: StorageHistoryView },
      }),
    })
    .get("/api/doctor", async () => Response.json(await diagnosis(deps.operating)), {
      role: { roles: ["admin", "auditor"] },
      detail: detailOf("Operating", "What is wrong with the hub, and what to do about it", {
        answers: { 200: DoctorView },
      }),
    });

const settingsFor = ({ role }: User, { operating, publicUrl, now }: Deps): SettingsView => {
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
