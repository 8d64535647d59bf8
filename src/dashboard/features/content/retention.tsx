import type { AnswerTo } from "#dashboard/api/client";
import { useHasRole } from "#dashboard/app/session";
import { SettingsPage } from "#dashboard/app/settings";
import { Backups } from "#dashboard/features/backups/backups";
import { StorageTrend } from "#dashboard/features/backups/storage-trend";
import { Card, Facts, Stat } from "#dashboard/parts/card";
import { useGet } from "#dashboard/parts/hooks";
import { bytesOf, numberOf } from "#dashboard/parts/numbers";
import { TextLink } from "#dashboard/parts/page";
import { Await } from "#dashboard/parts/states";

type Settings = AnswerTo<"GET /api/settings">;

const HOURS_A_DAY = 24;

const hoursOf = (hours: number): string =>
  hours > HOURS_A_DAY && hours % HOURS_A_DAY === 0
    ? `${numberOf(hours / HOURS_A_DAY)} days`
    : `${numberOf(hours)} hours`;

const KeepingScreen = () => {
  const isAdmin = useHasRole("admin");
  const settings = useGet("GET /api/settings", {});
  return (
    <SettingsPage title="Retention and backups" hint="Storage, retention periods and backups.">
      <Await query={settings}>{(data) => <Kept settings={data} />}</Await>
      {isAdmin && <Backups />}
    </SettingsPage>
  );
};

const Kept = ({ settings }: { readonly settings: Settings }) => (
  <>
    {settings.storage && (
      <div className="grid gap-4 sm:grid-cols-3">
        <Stat
          label="Database"
          value={bytesOf(settings.storage.database_bytes)}
          note={`WAL ${bytesOf(settings.storage.wal_bytes)}`}
        />
        <Stat label="Backups" value={bytesOf(settings.storage.backup_bytes)} note={settings.storage.data_dir} />
        <Stat label="Disk free" value={bytesOf(settings.storage.disk_free_bytes)} />
      </div>
    )}
    {settings.storage && <StorageTrend />}
    <Card title="Retention" hint="Set in the configuration; changes need a restart.">
      <Facts
        rows={[
          ["Audit log", `${numberOf(settings.audit_retention_days)} days (audit.retention_days)`],
          ["Blocked and redacted content", textsOf(settings.keep_blocked_hours)],
        ]}
      />
      {settings.configuration && (
        <p className="mt-3 text-[13px] text-muted">
          Sources of the values: <TextLink to="/settings/about">About</TextLink>.
        </p>
      )}
    </Card>
  </>
);

const textsOf = (hours: number): string =>
  `${hours === 0 ? "not stored" : `${hoursOf(hours)}, encrypted`} (guard.keep_blocked_hours)`;

export default KeepingScreen;
