import type { ReactNode } from "react";
import { COMMANDS, commandLine } from "#core/command-line";
import { basePath } from "#dashboard/address/base-path";
import type { AnswerTo } from "#dashboard/api/client";
import { PublicAddress } from "#dashboard/app/public-address";
import { useHasRole } from "#dashboard/app/session";
import { SettingsPage } from "#dashboard/app/settings";
import { Button } from "#dashboard/parts/button";
import { Card, Facts } from "#dashboard/parts/card";
import { Chip, StateChip, Tag } from "#dashboard/parts/chip";
import { Id } from "#dashboard/parts/copy";
import { FilterBar, FilterChoice, FilterText, useFilters } from "#dashboard/parts/filters";
import { useGet } from "#dashboard/parts/hooks";
import { bytesOf } from "#dashboard/parts/numbers";
import { Await, Empty } from "#dashboard/parts/states";
import { type Column, known, Table } from "#dashboard/parts/table";
import { Time } from "#dashboard/parts/time";

type Settings = AnswerTo<"GET /api/settings">;
type Setting = NonNullable<Settings["configuration"]>[number];
type Check = AnswerTo<"GET /api/doctor">["checks"][number];

const AboutScreen = () => {
  const settings = useGet("GET /api/settings", {});
  const isKeeper = useHasRole("admin", "auditor");
  return (
    <SettingsPage title="About" hint="Version, diagnostics and configuration.">
      <Await query={settings}>
        {(data) => (
          <>
            <div className="grid items-start gap-4 lg:grid-cols-2">
              <Hub settings={data} />
              {isKeeper && <Doctor />}
            </div>
            {data.configuration && data.configuration.length > 0 && <Configuration settings={data.configuration} />}
          </>
        )}
      </Await>
    </SettingsPage>
  );
};

const DocumentLink = ({ to, children }: { readonly to: string; readonly children: ReactNode }) => (
  <a href={`${basePath()}/docs/${to}`} className="font-medium text-accent underline-offset-2 hover:underline">
    {children}
  </a>
);

const Hub = ({ settings }: { readonly settings: Settings }) => {
  const { storage, commit } = settings;
  const started = <Time at={settings.started_at} />;
  const mode = <StateChip of={settings.guard_mode} />;
  const build = commit && <Id value={commit} />;
  const address = (
    <>
      {settings.public_url}
      <div className="mt-1 text-[13px] text-muted">
        <PublicAddress settings={settings} />
      </div>
    </>
  );
  const docs = (
    <>
      <DocumentLink to="">User documentation</DocumentLink>, <DocumentLink to="api">API reference</DocumentLink>
    </>
  );
  return (
    <Card title="This hub">
      <Facts
        rows={[
          ["Version", settings.version],
          ...(build ? [["Commit", build] as const] : []),
          ["Address", address],
          ...(settings.listen ? [["Listens on", settings.listen] as const] : []),
          ["Guard", mode],
          ...(settings.started_at ? [["Running since", started] as const] : []),
          ...(storage
            ? [
                ["Data directory", storage.data_dir] as const,
                ["Database", `${bytesOf(storage.database_bytes)}, WAL ${bytesOf(storage.wal_bytes)}`] as const,
                ["Disk free", bytesOf(storage.disk_free_bytes)] as const,
              ]
            : []),
          ["Documents", docs],
        ]}
      />
    </Card>
  );
};

const SIGNS = { ok: "ok", warn: "warn", fail: "bad" } as const;
const WORDS = { ok: "ok", warn: "warning", fail: "failed" } as const;

const Doctor = () => {
  const doctor = useGet("GET /api/doctor", {});
  return (
    <Card
      title="Doctor"
      hint={`Results of ${commandLine(COMMANDS.doctor())}.`}
      flush
      actions={
        <Button small busy={doctor.isFetching} onClick={() => void doctor.refetch()}>
          Run again
        </Button>
      }
    >
      <Await query={doctor}>
        {({ checks }) => (
          <ul className="divide-y divide-line">
            {[...checks].sort(worstFirst).map(({ name, state, finding, advice }) => (
              <li key={name} className="flex items-start gap-3 px-4 py-2">
                <div className="min-w-0 flex-1">
                  <p>
                    <span className="font-medium">{name}</span>{" "}
                    <span className="break-words text-muted">{finding}</span>
                  </p>
                  {advice && <p className="text-[13px]">{advice}</p>}
                </div>
                <Chip tone={SIGNS[state]}>{WORDS[state]}</Chip>
              </li>
            ))}
          </ul>
        )}
      </Await>
    </Card>
  );
};

const WEIGHT = { fail: 0, warn: 1, ok: 2 } as const;
const worstFirst = (a: Check, b: Check): number => WEIGHT[a.state] - WEIGHT[b.state];

const shown = (value: unknown): string => {
  if (value === null || value === undefined || value === "") return "not set";
  return typeof value === "string" ? value : JSON.stringify(value);
};

const COLUMNS: readonly Column<Setting>[] = [
  {
    name: "Setting",
    cell: ({ key, description }) => (
      <>
        <DocumentLink to={`configuration#${key}`}>
          <code className="font-mono text-[13px]">{key}</code>
        </DocumentLink>
        <span className="block max-w-prose text-[13px] text-muted">{description}</span>
      </>
    ),
  },
  { name: "Value", cell: ({ value }) => <code className="font-mono text-[13px] break-all">{shown(value)}</code> },
  {
    name: "Source",
    cell: ({ origin, default: usual }) =>
      origin === "default" ? (
        <span className="text-muted">default</span>
      ) : (
        <>
          <Tag>{origin}</Tag>
          <span className="block text-[13px] text-muted">default: {shown(usual)}</span>
        </>
      ),
    minor: true,
  },
];

/** As the configuration file has it: `[section]`, or what stands before all sections. */
const sectionOf = (key: string): string => (key.includes(".") ? `[${key.slice(0, key.lastIndexOf("."))}]` : "General");

const Configuration = ({ settings }: { readonly settings: readonly Setting[] }) => {
  const { values, filter, clear, active } = useFilters(["q", "from"]);
  const words = values.q?.toLowerCase() ?? "";
  const items = settings.filter(
    ({ key, description, origin }) =>
      `${key} ${description}`.toLowerCase().includes(words) && (values.from !== "set" || origin !== "default"),
  );
  return (
    <Card flush title="Configuration" hint="From flags, variables and the configuration file. Changes need a restart.">
      <FilterBar>
        <FilterText label="Setting" {...filter("q")} />
        <FilterChoice
          label="Source"
          {...filter("from")}
          choices={[{ value: "set", label: "changed from the default" }]}
        />
      </FilterBar>
      {items.length === 0 && (
        <Table
          label="Configuration"
          list={known(items)}
          columns={COLUMNS}
          keyOf={({ key }) => key}
          filters={{ active, clear }}
          empty={<Empty title="No settings." />}
        />
      )}
      {[...Map.groupBy(items, ({ key }) => sectionOf(key))].map(([section, ones]) => (
        <section key={section} className="border-t border-line first-of-type:border-t-0">
          <h3 className="px-4 pt-3 font-medium">{section}</h3>
          <Table label={section} list={known(ones)} columns={COLUMNS} keyOf={({ key }) => key} empty={null} />
        </section>
      ))}
    </Card>
  );
};

export default AboutScreen;
