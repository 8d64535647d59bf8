import { useState } from "react";
import { Button } from "#dashboard/parts/button";
import { Input, Select } from "#dashboard/parts/field";
import { zoneName } from "#dashboard/parts/time";
import { type CallQuery, RANGES } from "./call-query";

const CUSTOM = "custom";
const CHOICES = [{ value: "", label: "Any time" }, ...RANGES, { value: CUSTOM, label: "Custom" }];

/** As `<input type="datetime-local">` has it: the viewer's clock, without a zone. */
const localOf = (at: string | undefined): string => {
  const date = new Date(at ?? "");
  if (Number.isNaN(date.getTime())) return "";
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
};

const utcOf = (local: string): string => {
  const date = new Date(local);
  return Number.isNaN(date.getTime()) ? "" : date.toISOString();
};

/** From when to when: one of some lengths up to now, or two moments of the viewer's clock. */
export const CallRange = ({ query }: { readonly query: CallQuery }) => {
  const { range, times, setRange } = query;
  const [isCustom, setCustom] = useState(false);
  const hasTimes = times.from !== undefined || times.to !== undefined;
  const chosen = isCustom || hasTimes ? CUSTOM : (range ?? "");
  return (
    <>
      <div className="w-44">
        <Select
          label="Time range"
          hidden
          value={chosen}
          choices={CHOICES}
          onValue={(value) => {
            setCustom(value === CUSTOM);
            if (value !== CUSTOM) setRange(value);
          }}
        />
      </div>
      {chosen === CUSTOM && <Times key={`${times.from} ${times.to}`} query={query} />}
    </>
  );
};

const Times = ({ query: { asked, setTimes } }: { readonly query: CallQuery }) => {
  const [from, setFrom] = useState(localOf(asked.since));
  const [to, setTo] = useState(localOf(asked.until));
  const zone = zoneName();
  return (
    <form
      className="flex flex-wrap items-end gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        setTimes({ from: utcOf(from), to: utcOf(to) });
      }}
    >
      <Input label={`From (${zone})`} type="datetime-local" step={1} value={from} onValue={setFrom} />
      <Input label="To, exclusive" type="datetime-local" step={1} value={to} onValue={setTo} />
      <Button type="submit">Apply</Button>
    </form>
  );
};
