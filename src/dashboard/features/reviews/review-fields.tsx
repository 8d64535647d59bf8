import { Plus, Trash2 } from "lucide-react";
import { useId, useState } from "react";
import { Button, IconButton } from "#dashboard/parts/button";
import { Checkbox, Input, Select, TextArea } from "#dashboard/parts/field";
import type { DeclaredTool } from "#policy/review/questionnaire";
import { EFFECT_OPTIONS, type Option, type Question } from "./review-questions";

type Given = {
  readonly value: unknown;
  /** Undefined takes the answer back. */
  readonly onChange: (value: unknown) => void;
  readonly error: string | undefined;
};

const textOf = (value: unknown): string =>
  typeof value === "string" || typeof value === "number" ? String(value) : "";
const listOf = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];

/** One question, as it is answered. */
export const Field = ({ question, value, onChange, error }: Given & { readonly question: Question }) => {
  const { label, hint, required = false } = question;
  const common = { label: required ? `${label} *` : label, hint, error };
  switch (question.as) {
    case "line":
      return <Input {...common} value={textOf(value)} onValue={onChange} />;
    case "text":
      return <TextArea {...common} value={textOf(value)} onValue={onChange} />;
    case "number":
      return (
        <Input
          {...common}
          type="number"
          min={1}
          className="max-w-48"
          value={textOf(value)}
          onValue={(next) => onChange(next === "" ? undefined : Number(next))}
        />
      );
    case "yes":
      return <Checkbox label={label} checked={value === true} onValue={onChange} />;
    case "list":
      return <Lines common={common} none={question.none} value={value} onChange={onChange} />;
    case "one":
      return (
        <Select
          {...common}
          value={textOf(value)}
          onValue={onChange}
          choices={[
            { value: "", label: question.usual === undefined ? "Choose…" : `Default: ${question.usual}` },
            ...question.options,
          ]}
        />
      );
    case "several":
      return (
        <Several
          question={question}
          value={value}
          onChange={onChange}
          error={error}
          options={question.options}
          none={question.none}
        />
      );
    case "tools":
      return <Tools question={question} value={value} onChange={onChange} error={error} />;
  }
};

const None = ({ label, value, onChange }: { readonly label: string } & Pick<Given, "value" | "onChange">) => {
  const isNone = Array.isArray(value) && value.length === 0;
  return <Checkbox label={label} checked={isNone} onValue={(checked) => onChange(checked ? [] : undefined)} />;
};

/** One item a line. What is typed stays as it is typed; what is told of are the items. */
const Lines = ({
  common,
  none,
  value,
  onChange,
}: {
  readonly common: { readonly label: string; readonly hint: string | undefined; readonly error: string | undefined };
  readonly none: string | undefined;
} & Pick<Given, "value" | "onChange">) => {
  const items = listOf(value);
  const [typed, setTyped] = useState(items.join("\n"));
  const itemsIn = (text: string) =>
    text
      .split("\n")
      .map((line) => line.trim())
      .filter(Boolean);
  // Somebody else changed the answer, or a name was added beside.
  const shown = itemsIn(typed).join("\n") === items.join("\n") ? typed : items.join("\n");
  return (
    <div className="flex flex-col gap-1.5">
      <TextArea
        {...common}
        value={shown}
        spellCheck={false}
        onValue={(next) => {
          setTyped(next);
          const now = itemsIn(next);
          onChange(now.length === 0 ? undefined : now);
        }}
      />
      {none && items.length === 0 && <None label={none} value={value} onChange={onChange} />}
    </div>
  );
};

const Legend = ({ question, error }: { readonly question: Question; readonly error: string | undefined }) => (
  <>
    <legend className="mb-1 text-[13px] font-medium">
      {question.label}
      {question.required && " *"}
    </legend>
    {question.hint && <p className="mb-1 text-[13px] text-muted">{question.hint}</p>}
    {error && (
      <p role="alert" className="mb-1 text-[13px] text-bad">
        {error}
      </p>
    )}
  </>
);

const Several = ({
  question,
  value,
  onChange,
  error,
  options,
  none,
}: Given & { readonly question: Question; readonly options: readonly Option[]; readonly none: string | undefined }) => {
  const chosen = listOf(value);
  const toggle = (one: string, isOn: boolean) => {
    const now = isOn ? [...chosen, one] : chosen.filter((other) => other !== one);
    onChange(now.length === 0 ? undefined : now);
  };
  return (
    <fieldset className="flex flex-col gap-1">
      <Legend question={question} error={error} />
      {options.map(({ value: one, label }) => (
        <Checkbox key={one} label={label} checked={chosen.includes(one)} onValue={(checked) => toggle(one, checked)} />
      ))}
      {none && chosen.length === 0 && <None label={none} value={value} onChange={onChange} />}
    </fieldset>
  );
};

const isTool = (value: unknown): value is DeclaredTool =>
  typeof value === "object" && value !== null && "tool" in value && "effect" in value;
const toolsIn = (value: unknown): readonly DeclaredTool[] => (Array.isArray(value) ? value.filter(isTool) : []);

/** What a tool used but not declared is taken for, until its owner says otherwise: the worst. */
const WORST = "execute";

/** `files__read_file` as it is declared. */
export const toolNamed = (name: string): DeclaredTool => {
  const [server, ...rest] = name.split("__");
  return rest.length === 0
    ? { server: null, tool: name, effect: WORST }
    : { server: server ?? null, tool: rest.join("__"), effect: WORST };
};

const effectNamed = (name: string): DeclaredTool["effect"] => EFFECTS.find((one) => one === name) ?? WORST;
const EFFECTS: readonly DeclaredTool["effect"][] = [
  "read",
  "write",
  "pay",
  "send",
  "delete",
  "execute",
  "destructive",
  "external",
];

const Tools = ({ question, value, onChange, error }: Given & { readonly question: Question }) => {
  const id = useId();
  const tools = toolsIn(value);
  const put = (at: number, more: Partial<DeclaredTool>) =>
    onChange(tools.map((tool, index) => (index === at ? { ...tool, ...more } : tool)));
  const drop = (at: number) => {
    const left = tools.filter((_, index) => index !== at);
    onChange(left.length === 0 ? undefined : left);
  };
  return (
    <fieldset className="flex flex-col gap-2">
      <Legend question={question} error={error} />
      <p className="text-[13px] text-muted">
        Slug of the server, empty for an own function of the agent; * as the tool for all tools of a server.
      </p>
      {tools.map((tool, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a row has no other name while it is typed
        <div key={`${id}-${at}`} className="grid grid-cols-[1fr_1.5fr_1fr_auto] items-end gap-2">
          <Input
            label={`Server of tool ${at + 1}`}
            hidden
            placeholder="server"
            value={tool.server ?? ""}
            onValue={(next) => put(at, { server: next.trim() || null })}
          />
          <Input
            label={`Name of tool ${at + 1}`}
            hidden
            placeholder="tool"
            value={tool.tool}
            onValue={(next) => put(at, { tool: next.trim() })}
          />
          <Select
            label={`Impact of tool ${at + 1}`}
            hidden
            value={tool.effect}
            onValue={(next) => put(at, { effect: effectNamed(next) })}
            choices={EFFECT_OPTIONS}
          />
          <IconButton icon={Trash2} label={`Remove tool ${at + 1}`} onClick={() => drop(at)} />
        </div>
      ))}
      <div>
        <Button small icon={Plus} onClick={() => onChange([...tools, { server: null, tool: "", effect: "read" }])}>
          Add tool
        </Button>
      </div>
      {tools.length === 0 && <None label="No tools" value={value} onChange={onChange} />}
    </fieldset>
  );
};
