import { Tag } from "./chip";

const FEW = 12;

const wordOf = (value: unknown): string => {
  if (typeof value !== "object" || value === null) return String(value);
  if (Array.isArray(value)) return JSON.stringify(value);
  return Object.entries(value)
    .filter(([, part]) => part !== null)
    .map(([name, part]) => `${name}: ${typeof part === "object" ? JSON.stringify(part) : String(part)}`)
    .join(", ");
};

/** A value of a document as people read it: lists as words, nothing as such, the rest as it is written. */
export const Value = ({ of: value }: { readonly of: unknown }) => {
  if (value === null || value === undefined) return <span className="text-muted">none</span>;
  if (value === "") return <span className="text-muted">empty</span>;
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (!Array.isArray(value)) return <span className="break-words">{wordOf(value)}</span>;
  if (value.length === 0) return <span className="text-muted">none</span>;
  const words = value.map(wordOf);
  return (
    <span className="flex min-w-0 flex-wrap gap-1" title={words.join("\n")}>
      {words.slice(0, FEW).map((word) => (
        <Tag key={word}>{word}</Tag>
      ))}
      {words.length > FEW && <span className="text-muted">+{words.length - FEW}</span>}
    </span>
  );
};
