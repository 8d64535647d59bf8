import { useState } from "react";
import type { AnswerTo } from "#dashboard/api/client";
import { AgentSelect, ToolServerSelect, UserSelect } from "#dashboard/app/found";
import { FormDialog } from "#dashboard/parts/dialog";
import { Input, Select, TextArea } from "#dashboard/parts/field";
import { useAct } from "#dashboard/parts/hooks";

type Level = AnswerTo<"POST /api/killswitch">["level"];

const LEVELS: readonly { readonly value: Level; readonly label: string; readonly hint: string }[] = [
  { value: "agent", label: "One agent", hint: "All calls of the agent, with any key." },
  { value: "owner", label: "All agents of a user", hint: "All agents of a user, and the user's own calls." },
  { value: "tool_server", label: "One tool server", hint: "All tools of the server." },
  { value: "model", label: "Models", hint: "Name or pattern, such as gpt-*" },
  { value: "all", label: "Everything", hint: "All model and tool calls of all users." },
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
    done: "Kill switch activated.",
    close: onClose,
  });
  const needsTarget = level !== "all";
  const chosen = LEVELS.find(({ value }) => value === level);
  return (
    <FormDialog
      onClose={onClose}
      title="Activate kill switch"
      hint="In force at once, also for open streams."
      danger
      submit="Activate"
      act={on}
      disabled={typed.trim() !== WORD || reason.trim() === "" || (needsTarget && target.trim() === "")}
      onSubmit={() =>
        on.mutate({ body: { level, reason: reason.trim(), ...(needsTarget ? { target: target.trim() } : {}) } })
      }
    >
      <Select
        label="Scope"
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
        hint="Shown to those affected and recorded in the audit log."
        required
        value={reason}
        onValue={setReason}
      />
      <Input label={`Type "${WORD}" to confirm`} spellCheck={false} value={typed} onValue={setTyped} />
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
  const field = { label: "Target", value, onValue: onChange };
  if (level === "all") return null;
  if (level === "model") return <Input {...field} label="Models" required spellCheck={false} />;
  if (level === "agent") return <AgentSelect {...field} />;
  return level === "owner" ? <UserSelect {...field} /> : <ToolServerSelect {...field} />;
};
