import { useState } from "react";
import type { Answer } from "#dashboard/api/client";
import { useAct } from "#dashboard/api/hooks";
import { FormDialog } from "#dashboard/parts/dialog";
import { Input, Select, TextArea } from "#dashboard/parts/field";
import { useTargets } from "./kill-switch-targets";

type Level = Answer<"POST /api/killswitch">["level"];

const LEVELS: readonly { readonly value: Level; readonly label: string; readonly hint: string }[] = [
  { value: "agent", label: "One agent", hint: "Its calls and tools are refused, whatever key it uses." },
  { value: "owner", label: "All agents of a person", hint: "All of somebody's agents, and their own calls." },
  { value: "tool_server", label: "One tool server", hint: "None of its tools can be called." },
  { value: "model", label: "Models", hint: "A name, or * for anything: gpt-*" },
  { value: "all", label: "Everything", hint: "Every call of models and tools, of everybody." },
];

const WORD = "stop";

/** Stops something at once; typed out, and with a reason. */
export const SwitchOn = ({ onClose }: { readonly onClose: () => void }) => {
  const [level, setLevel] = useState<Level>("agent");
  const [target, setTarget] = useState("");
  const [reason, setReason] = useState("");
  const [typed, setTyped] = useState("");
  const on = useAct("POST /api/killswitch", {
    refresh: ["/api/killswitch", "/api/overview"],
    done: "It is stopped.",
    close: onClose,
  });
  const needsTarget = level !== "all";
  const chosen = LEVELS.find(({ value }) => value === level);
  return (
    <FormDialog
      onClose={onClose}
      title="Stop at once"
      hint="It holds from this moment, for open streams too."
      danger
      submit="Stop it"
      act={on}
      disabled={typed.trim() !== WORD || reason.trim() === "" || (needsTarget && target.trim() === "")}
      onSubmit={() =>
        on.mutate({ body: { level, reason: reason.trim(), ...(needsTarget ? { target: target.trim() } : {}) } })
      }
    >
      <Select
        label="What"
        hint={chosen?.hint}
        value={level}
        onValue={(next) => {
          setLevel(next);
          setTarget("");
        }}
        choices={LEVELS}
      />
      <Target level={level} value={target} onChange={setTarget} />
      <TextArea
        label="Reason"
        hint="Whoever is stopped wants to know, and it goes on record."
        required
        value={reason}
        onValue={setReason}
      />
      <Input label={`Type ${WORD} to go on`} spellCheck={false} value={typed} onValue={setTyped} />
    </FormDialog>
  );
};

const Target = ({
  level,
  value,
  onChange,
}: {
  readonly level: Level;
  readonly value: string;
  readonly onChange: (target: string) => void;
}) => {
  const targets = useTargets();
  if (level === "all") return null;
  if (level === "model") {
    return <Input label="Models" required value={value} onValue={onChange} spellCheck={false} />;
  }
  return (
    <Select
      label="Which"
      required
      value={value}
      onValue={onChange}
      choices={[{ value: "", label: "Choose…" }, ...targets[level]]}
    />
  );
};
