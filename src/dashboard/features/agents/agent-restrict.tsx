import { useState } from "react";
import { FormDialog } from "#dashboard/parts/dialog";
import { Checkbox, Input, Select, TextArea } from "#dashboard/parts/field";
import { useAct } from "#dashboard/parts/hooks";
import type { AgentData } from "./agent-frame";

const KINDS = [
  { value: "suspended", label: "Suspend: refuse all calls" },
  { value: "model_restricted", label: "Restrict models" },
  { value: "tool_restricted", label: "Deny tools, commands or files" },
  { value: "rate_limited", label: "Rate limit" },
  { value: "output_redaction", label: "Redact every finding in answers" },
  { value: "human_approval", label: "Require human approval for tools" },
] as const;
type Kind = (typeof KINDS)[number]["value"];

const ENDS = [
  { value: "1h", label: "1 hour" },
  { value: "4h", label: "4 hours" },
  { value: "24h", label: "24 hours" },
  { value: "7d", label: "7 days" },
  { value: "30d", label: "30 days" },
  { value: "", label: "until lifted" },
] as const;
const SHORT: readonly string[] = ["1h", "4h", "24h"];

const namesIn = (text: string): string[] => text.split(/[\s,]+/).filter(Boolean);

/** Patterns of commands have blanks. */
const linesIn = (text: string): string[] =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean);

type Given = {
  readonly names: string;
  readonly commands: string;
  readonly files: string;
  readonly readOnly: boolean;
  readonly requests: string;
  readonly tokens: string;
  readonly concurrent: string;
};

const paramsOf = (kind: Kind, given: Given): Record<string, unknown> => {
  const { names, readOnly, requests, tokens, concurrent } = given;
  const amount = (name: string, text: string) => (text === "" ? {} : { [name]: Number(text) });
  const listed = namesIn(names);
  if (kind === "model_restricted") return { models_allow: listed };
  if (kind === "human_approval") return { tools: listed };
  if (kind === "tool_restricted") {
    const [commands, files] = [linesIn(given.commands), linesIn(given.files)];
    return {
      ...(listed.length > 0 && { tools_deny: listed }),
      ...(commands.length > 0 && { commands_deny: commands }),
      ...(files.length > 0 && { files_deny: files }),
      ...(readOnly && { read_only: true }),
    };
  }
  if (kind !== "rate_limited") return {};
  return {
    ...amount("requests_per_minute", requests),
    ...amount("tokens_per_minute", tokens),
    ...amount("concurrent", concurrent),
  };
};

/** Something an agent is not to do for a while. Nothing here makes anything looser. */
export const NewRestriction = ({
  agent,
  short,
  onClose,
}: {
  readonly agent: AgentData;
  /** Who sets it may do so for a day at most. */
  readonly short: boolean;
  readonly onClose: () => void;
}) => {
  const [kind, setKind] = useState<Kind>("rate_limited");
  const [end, setEnd] = useState("4h");
  const [reason, setReason] = useState("");
  const [given, setGiven] = useState<Given>({
    names: "",
    commands: "",
    files: "",
    readOnly: false,
    requests: "",
    tokens: "",
    concurrent: "",
  });
  const act = useAct("POST /api/agents/:id/restrictions", {
    refresh: ["/api/agents"],
    done: "Restriction set.",
    close: onClose,
  });
  const ends = ENDS.filter(({ value }) =>
    value === "" ? kind === "suspended" && !short : !short || SHORT.includes(value),
  );
  const set = (more: Partial<Given>) => setGiven({ ...given, ...more });
  return (
    <FormDialog
      onClose={onClose}
      title={`Restrict ${agent.name}`}
      hint="In force from the agent's next call on."
      submit="Restrict"
      act={act}
      danger
      disabled={reason.trim() === ""}
      onSubmit={() =>
        act.mutate({
          params: { id: agent.id },
          body: {
            kind,
            params: paramsOf(kind, given),
            reason: reason.trim(),
            ...(end === "" ? {} : { expires_in: end }),
          },
        })
      }
    >
      <Select
        label="Restriction"
        value={kind}
        onValue={(next) => {
          setKind(KINDS.find(({ value }) => value === next)?.value ?? "rate_limited");
          setEnd("4h");
        }}
        choices={KINDS}
      />
      <Params kind={kind} given={given} set={set} />
      <Select label="Duration" value={end} onValue={setEnd} choices={ends} />
      <TextArea label="Reason" required value={reason} onValue={setReason} />
    </FormDialog>
  );
};

const LISTS: Partial<Readonly<Record<Kind, readonly [label: string, hint: string]>>> = {
  model_restricted: ["Allowed models", "Names or patterns such as gpt-5*, one a line."],
  tool_restricted: ["Denied tools", "Such as files__delete or mail__*, one a line."],
  human_approval: ["Tools that need approval for each call", "Such as mail__send, one a line."],
};

const Params = ({
  kind,
  given,
  set,
}: {
  readonly kind: Kind;
  readonly given: Given;
  readonly set: (more: Partial<Given>) => void;
}) => {
  const [label, hint] = LISTS[kind] ?? [];
  const amount = (name: "requests" | "tokens" | "concurrent", text: string) => (
    <Input label={text} type="number" min={1} value={given[name]} onValue={(next) => set({ [name]: next })} />
  );
  return (
    <>
      {label && <TextArea label={label} hint={hint} value={given.names} onValue={(next) => set({ names: next })} />}
      {kind === "tool_restricted" && (
        <>
          <TextArea
            label="Denied commands of a coding agent"
            hint="Such as git push *, one a line."
            value={given.commands}
            onValue={(next) => set({ commands: next })}
          />
          <TextArea
            label="Denied files of a coding agent"
            hint="Such as ~/.ssh/**, one a line."
            value={given.files}
            onValue={(next) => set({ files: next })}
          />
        </>
      )}
      {kind === "tool_restricted" && (
        <Checkbox
          label="Only tools declared read-only"
          checked={given.readOnly}
          onValue={(checked) => set({ readOnly: checked })}
        />
      )}
      {kind === "rate_limited" && (
        <div className="grid gap-3 sm:grid-cols-3">
          {amount("requests", "Requests per minute")}
          {amount("tokens", "Tokens per minute")}
          {amount("concurrent", "Concurrent requests")}
        </div>
      )}
    </>
  );
};
