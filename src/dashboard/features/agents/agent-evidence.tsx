import { FileCheck } from "lucide-react";
import { useState } from "react";
import type { AnswerTo } from "#dashboard/api/client";
import { useHasRole } from "#dashboard/app/session";
import { Button, buttonClass } from "#dashboard/parts/button";
import { Card } from "#dashboard/parts/card";
import { Input } from "#dashboard/parts/field";
import { useAct } from "#dashboard/parts/hooks";
import type { AgentData } from "./agent-frame";

const QUARTER_DAYS = 92;

/** `2026-11-27`, some days before today. */
const dayBefore = (days: number): string => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);

/** For those who may read the audit log. */
export const AgentEvidence = ({ agent }: { readonly agent: AgentData }) =>
  useHasRole("admin", "auditor") ? <Evidence agent={agent} /> : null;

const Evidence = ({ agent }: { readonly agent: AgentData }) => {
  const [from, setFrom] = useState(dayBefore(QUARTER_DAYS));
  const [to, setTo] = useState(dayBefore(-1));
  const make = useAct("POST /api/agents/:id/evidence");
  const span = { from: `${from}T00:00:00Z`, to: `${to}T00:00:00Z` };
  return (
    <Card title="Evidence report" hint="What governed this agent and what it did, signed, for auditors.">
      <div className="grid gap-3 sm:grid-cols-2">
        <Input label="From" type="date" value={from} onValue={setFrom} />
        <Input label="To" hint="Exclusive." type="date" value={to} onValue={setTo} />
      </div>
      <Button
        className="mt-3"
        icon={FileCheck}
        busy={make.isPending}
        onClick={() => make.mutate({ params: { id: agent.id }, body: span })}
      >
        Make report
      </Button>
      {make.data && <Files name={`evidence-${agent.name}-${from}-${to}`} files={make.data} />}
    </Card>
  );
};

const TYPES = { html: "text/html", json: "application/json", note: "text/plain" } as const;

const Files = ({
  name,
  files,
}: {
  readonly name: string;
  readonly files: AnswerTo<"POST /api/agents/:id/evidence">;
}) => (
  <ul className="mt-3 flex flex-wrap gap-2" aria-live="polite">
    {(["html", "json", "note"] as const).map((kind) => (
      <li key={kind}>
        <a
          className={buttonClass()}
          href={URL.createObjectURL(new Blob([files[kind]], { type: TYPES[kind] }))}
          download={`${name}.${kind}`}
        >
          Download {kind === "html" ? "page" : kind === "json" ? "JSON" : "signature"}
        </a>
      </li>
    ))}
  </ul>
);
