import { Input } from "./field";

const two = (value: number): string => String(value).padStart(2, "0");

/** As a field for local times has it: `2026-11-26T10:05`, by the viewer's clock. Empty for what is no time. */
export const localOf = (iso: string): string => {
  const date = new Date(iso);
  if (Number.isNaN(date.getTime())) return "";
  const [year, month, day] = [date.getFullYear(), date.getMonth() + 1, date.getDate()];
  return `${year}-${two(month)}-${two(day)}T${two(date.getHours())}:${two(date.getMinutes())}`;
};

/** A moment, given and told in ISO 8601 UTC, typed as the viewer's clock has it. */
export const LocalMoment = ({
  label,
  value,
  after,
  before,
  onValue,
}: {
  readonly label: string;
  readonly value: string;
  readonly after?: string;
  readonly before?: string;
  readonly onValue: (iso: string) => void;
}) => (
  <div className="w-52">
    <Input
      label={label}
      hidden
      type="datetime-local"
      value={localOf(value)}
      min={after && localOf(after)}
      max={before && localOf(before)}
      onValue={(text) => {
        const date = new Date(text);
        // Half a date is none yet.
        if (!Number.isNaN(date.getTime())) onValue(date.toISOString());
      }}
    />
  </div>
);
