import { useState } from "react";
import { Button } from "./button";
import { Input } from "./field";
import { zoneName } from "./time";

/** As `<input type="datetime-local">` has it: the viewer's clock, without a zone. Empty for what is no time. */
const localOf = (at: string | undefined): string => {
  const date = new Date(at ?? "");
  if (Number.isNaN(date.getTime())) return "";
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
};

const utcOf = (local: string): string => {
  const date = new Date(local);
  return Number.isNaN(date.getTime()) ? "" : date.toISOString();
};

/** In ISO 8601, UTC; empty for none. */
export type Times = { readonly from: string; readonly to: string };

/** Two moments of the viewer's clock, told once they are applied. `isWhole`: neither may be left out. */
export const CustomTimes = ({
  from: givenFrom,
  to: givenTo,
  isWhole = false,
  onApply,
}: {
  readonly from: string | undefined;
  readonly to: string | undefined;
  readonly isWhole?: boolean;
  readonly onApply: (times: Times) => void;
}) => {
  const [from, setFrom] = useState(localOf(givenFrom));
  const [to, setTo] = useState(localOf(givenTo));
  const zone = zoneName();
  const isMissing = isWhole && (from === "" || to === "");
  return (
    <form
      className="flex flex-wrap items-end gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        onApply({ from: utcOf(from), to: utcOf(to) });
      }}
    >
      <Input label={`From (${zone})`} type="datetime-local" step={1} value={from} onValue={setFrom} />
      <Input label="To, exclusive" type="datetime-local" step={1} value={to} onValue={setTo} />
      <Button type="submit" disabled={isMissing || (to !== "" && from >= to)}>
        Apply
      </Button>
    </form>
  );
};
