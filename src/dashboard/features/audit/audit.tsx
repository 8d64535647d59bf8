import { Download, ShieldCheck } from "lucide-react";
import { useState } from "react";
import { type AnswerTo, addressFor } from "#dashboard/api/client";
import { Button, buttonClass } from "#dashboard/parts/button";
import { Card, Facts, Stat } from "#dashboard/parts/card";
import { Chip, StateChip } from "#dashboard/parts/chip";
import { Id } from "#dashboard/parts/copy";
import { Input, Select } from "#dashboard/parts/field";
import { useAct, useGet } from "#dashboard/parts/hooks";
import { countOf, numberOf, roughly } from "#dashboard/parts/numbers";
import { Page, TextLink } from "#dashboard/parts/page";
import { Await } from "#dashboard/parts/states";
import { type Column, known, Table } from "#dashboard/parts/table";
import { Time } from "#dashboard/parts/time";

type State = AnswerTo<"GET /api/audit">;
type Check = NonNullable<State["verification"]>;

const AuditScreen = () => (
  <Page
    title="Audit"
    hint="Every call and administrative change, in a hash chain."
    actions={<TextLink to="/calls">Search records</TextLink>}
  >
    <Chain />
  </Page>
);

const Chain = () => {
  const state = useGet("GET /api/audit", {}, { everyMs: 5_000 });
  const verify = useAct("POST /api/audit/verify", { refresh: ["/api/audit"] });
  return (
    <Await query={state}>
      {(data) => (
        <>
          <Numbers state={data} />
          <div className="grid items-start gap-4 lg:grid-cols-2">
            <Card
              title="Verify integrity"
              hint="Recomputes every hash and checks every signature while the hub runs."
              actions={
                <Button
                  icon={ShieldCheck}
                  kind="primary"
                  busy={verify.isPending || data.verification?.state === "running"}
                  onClick={() => verify.mutate({})}
                >
                  Verify
                </Button>
              }
            >
              {data.verification ? (
                <Result check={data.verification} />
              ) : (
                <p className="text-muted">Not verified since the hub started.</p>
              )}
            </Card>
            <Export />
          </div>
          <Card title="Latest record">
            <Facts
              rows={[
                ["Number", data.head && `#${numberOf(data.head.seq)}`],
                ["Hash", data.head && <Id key="hash" value={data.head.hash} whole />],
                ["Signing key", data.checkpoint && <Id key="key" value={data.checkpoint.key_id} />],
              ]}
            />
          </Card>
          <Proofs />
          <Months months={data.months} />
        </>
      )}
    </Await>
  );
};

const Numbers = ({ state }: { readonly state: State }) => (
  <div className="grid gap-3 sm:grid-cols-3">
    <Stat
      label="Audit log"
      value={state.healthy ? "Healthy" : "Cannot write"}
      tone={state.healthy ? "ok" : "bad"}
      note={
        state.healthy ? "Write-ahead: no response without a record" : "Calls are refused until records can be written"
      }
    />
    <Stat label="Records" value={roughly(state.records)} note={`in ${countOf(state.months.length, "month")}`} />
    <Stat
      label="Last checkpoint"
      value={state.checkpoint ? `#${numberOf(state.checkpoint.seq)}` : "–"}
      note={state.checkpoint ? <Time at={state.checkpoint.at} /> : "no checkpoint yet"}
    />
  </div>
);

/** A whole number of seconds, or tenths of the first few. */
const durationOf = (started: string, ended: string): string => {
  const seconds = (Date.parse(ended) - Date.parse(started)) / 1_000;
  return seconds < 10 ? `${seconds.toFixed(1)} s` : `${numberOf(Math.round(seconds))} s`;
};

const Result = ({ check }: { readonly check: Check }) => (
  <div className="flex flex-col gap-3" aria-live="polite">
    <div className="flex flex-wrap items-center gap-2">
      {check.state === "ok" ? (
        <Chip tone="ok">Intact</Chip>
      ) : check.state === "broken" ? (
        <Chip tone="bad">Broken</Chip>
      ) : check.state === "running" ? (
        <Chip tone="wait">Verifying</Chip>
      ) : (
        <StateChip of="failed" />
      )}
      <span className="text-muted">
        {numberOf(check.records)} {check.state === "ok" || check.state === "broken" ? "" : `of ${numberOf(check.of)} `}
        records
        {check.checkpoints !== null && `, ${numberOf(check.checkpoints)} signatures`}
      </span>
    </div>
    {check.state === "running" && (
      <progress
        className="h-2 w-full accent-accent"
        max={Math.max(check.of, 1)}
        value={check.records}
        aria-label="Progress of the verification"
      />
    )}
    <p className="text-[13px] text-muted">
      Begun <Time at={check.started_at} />
      {check.by && ` by ${check.by}`}
      {check.ended_at && (
        <>
          , ended <Time at={check.ended_at} />, took {durationOf(check.started_at, check.ended_at)}
        </>
      )}
    </p>
    {check.faults.length > 0 && (
      <ul className="list-disc pl-5 text-bad">
        {check.faults.map(({ seq, problem }) => (
          <li key={`${seq} ${problem}`}>
            #{numberOf(seq)}: {problem}
          </li>
        ))}
      </ul>
    )}
  </div>
);

const FORMATS = [
  { value: "ndjson", label: "NDJSON (raw)" },
  { value: "csv", label: "CSV, for spreadsheets" },
  { value: "ocsf", label: "OCSF, for a SIEM" },
] as const;

/** When a day begins where the viewer is, or one some days after it; nothing where none is given, or none there is. */
const beginOf = (day: string, later = 0): string | undefined => {
  const date = new Date(`${day}T00:00:00`);
  date.setDate(date.getDate() + later);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
};

const Export = () => {
  const [format, setFormat] = useState<(typeof FORMATS)[number]["value"]>("ndjson");
  const [since, setSince] = useState("");
  const [until, setUntil] = useState("");
  const query = { format, since: beginOf(since), until: beginOf(until, 1) };
  const href = addressFor("GET /api/audit/export", { query });
  return (
    <Card title="Export" hint="Metadata only.">
      <div className="grid gap-3 sm:grid-cols-3">
        <Select label="Format" value={format} onValue={setFormat} choices={FORMATS} />
        <Input label="From" type="date" value={since} onValue={setSince} />
        <Input label="Until" hint="Inclusive." type="date" value={until} onValue={setUntil} />
      </div>
      <a className={`${buttonClass()} mt-4`} href={href} download={`audit.${format === "csv" ? "csv" : "ndjson"}`}>
        <Download className="size-4" aria-hidden />
        Download
      </a>
    </Card>
  );
};

/** The trees that proofs are checked against, and who signs beside the hub. */
const Proofs = () => {
  const trees = useGet("GET /api/audit/trees", {}, { everyMs: 20_000 });
  return (
    <Await query={trees}>
      {({ trees: logs, witnesses }) => (
        <Card
          title="Proofs and witnesses"
          hint="With the public key, anybody can check a proof of a single record. The page of a call has its proof."
        >
          {logs.map((log) => (
            <Facts
              key={log.origin}
              rows={[
                ["Log", log.node ?? "main"],
                ["Public key", <Id key="key" value={log.key} whole />],
                ["Signed", log.signed && covered(log.signed)],
                ["Witnessed", log.witnessed && covered(log.witnessed, log.witnessed.by)],
              ]}
            />
          ))}
          <WitnessList witnesses={witnesses} />
        </Card>
      )}
    </Await>
  );
};

const covered = ({ size, at }: { readonly size: number; readonly at: string }, by: readonly string[] = []) => (
  <>
    {countOf(size, "record")}, <Time at={at} />
    {by.length > 0 && ` by ${by.join(", ")}`}
  </>
);

const WITNESS_STATES = {
  signed: { tone: "ok", label: "Signed" },
  unreachable: { tone: "wait", label: "Not reached" },
  refused: { tone: "bad", label: "Refused" },
  conflict: { tone: "bad", label: "Log was rewritten or set back" },
  damaged: { tone: "bad", label: "Tree of the log is damaged" },
} as const;

const WitnessList = ({ witnesses }: { readonly witnesses: AnswerTo<"GET /api/audit/trees">["witnesses"] }) =>
  witnesses.length === 0 ? (
    <p className="mt-3 text-muted">No witnesses. Name them as audit.witnesses in the configuration.</p>
  ) : (
    <ul className="mt-3 flex flex-col gap-2">
      {witnesses.map(({ name, url, state }) => (
        <li key={name} className="flex flex-wrap items-center gap-2">
          {state === null ? (
            <Chip tone="wait">Not asked yet</Chip>
          ) : (
            <Chip tone={WITNESS_STATES[state].tone}>{WITNESS_STATES[state].label}</Chip>
          )}
          <span>{name}</span>
          <span className="text-muted">{url}</span>
        </li>
      ))}
    </ul>
  );

const COLUMNS: readonly Column<State["months"][number]>[] = [
  { name: "Month", cell: ({ month }) => month },
  { name: "Records", cell: ({ records }) => numberOf(records), align: "right" },
  {
    name: "Sequence range",
    cell: ({ first_seq, last_seq }) => `${numberOf(first_seq)} to ${numberOf(last_seq)}`,
    align: "right",
  },
  {
    name: "Available",
    cell: ({ dropped_at }) =>
      dropped_at ? (
        <>
          taken by retention <Time at={dropped_at} />
        </>
      ) : (
        "yes"
      ),
  },
];

const Months = ({ months }: { readonly months: State["months"] }) => (
  <Card title="Months" flush>
    <Table
      label="Months of the audit log"
      list={known(months)}
      columns={COLUMNS}
      keyOf={({ month }) => month}
      empty={<p className="px-4 py-6 text-center text-muted">No records yet.</p>}
    />
  </Card>
);

export default AuditScreen;
