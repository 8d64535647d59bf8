import { Check, Copy } from "lucide-react";
import { useEffect, useState } from "react";
import { type CommandWords, commandLine } from "#core/command-line";
import { ScrollBox } from "./card";
import { cx } from "./class-names";
import { useGet } from "./hooks";

/** Pages by plain http on another machine than the hub's have no clipboard: there it goes by a field that is selected. */
const copy = async (text: string, button: HTMLButtonElement): Promise<boolean> => {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const field = document.createElement("textarea");
    field.value = text;
    field.className = "sr-only";
    // Where the button is: a dialog keeps the focus to itself.
    button.after(field);
    field.select();
    const isDone = document.execCommand("copy");
    field.remove();
    button.focus();
    return isDone;
  }
};

/** What can be copied shows for a moment that it was. */
export const CopyButton = ({ text, label = "Copy" }: { readonly text: string; readonly label?: string }) => {
  const [done, setDone] = useState(false);
  useEffect(() => {
    if (!done) return;
    const timer = setTimeout(() => setDone(false), 1_500);
    return () => clearTimeout(timer);
  }, [done]);
  const Icon = done ? Check : Copy;
  return (
    <button
      type="button"
      aria-label={done ? "Copied" : label}
      title={done ? "Copied" : label}
      onClick={(event) => {
        event.stopPropagation();
        void copy(text, event.currentTarget).then(setDone);
      }}
      className="inline-grid size-7 shrink-0 place-items-center rounded text-muted hover:bg-raised hover:text-text"
    >
      <Icon className={cx("size-3.5", done && "text-ok")} aria-hidden />
    </button>
  );
};

/** An id, shortened for the eye, whole for the clipboard. */
export const Id = ({ value, whole = false }: { readonly value: string; readonly whole?: boolean }) => {
  const shown = whole || value.length <= 14 ? value : `${value.slice(0, 6)}…${value.slice(-5)}`;
  return (
    <span className="inline-flex max-w-full items-center gap-0.5 align-middle">
      <code className="truncate font-mono text-xs" title={value}>
        {shown}
      </code>
      <CopyButton text={value} label={`Copy ID ${shown}`} />
    </span>
  );
};

/** A line for a terminal. */
export const CodeLine = ({ text }: { readonly text: string }) => (
  <span className="inline-flex max-w-full items-center gap-1 rounded-md border border-line bg-raised py-1 pr-1 pl-3 text-left">
    <code className="min-w-0 font-mono text-xs whitespace-pre-wrap [overflow-wrap:anywhere]">{text}</code>
    <CopyButton text={text} />
  </span>
);

/** Several lines, in a box that scrolls. */
export const CodeBlock = ({ text, label }: { readonly text: string; readonly label: string }) => (
  <div className="relative min-w-0 rounded-md border border-line bg-raised">
    <ScrollBox label={label} className="max-h-96">
      <pre className="p-3 pr-10 font-mono text-xs">{text}</pre>
    </ScrollBox>
    <span className="absolute top-1.5 right-1.5">
      <CopyButton text={text} />
    </span>
  </div>
);

/** A command for a terminal at the hub's machine, which names this hub to those who may know where it is. */
export const HubCommand = ({ words }: { readonly words: CommandWords }) => {
  const settings = useGet("GET /api/settings", {});
  return <CodeLine text={commandLine(words, settings.data?.command_place ?? undefined)} />;
};
