import { useState } from "react";
import { Select } from "#dashboard/parts/field";
import { CustomTimes } from "#dashboard/parts/period";
import { type CallQuery, RANGES } from "./call-query";

const CUSTOM = "custom";
const CHOICES = [{ value: "", label: "Any time" }, ...RANGES, { value: CUSTOM, label: "Custom" }];

/** From when to when: one of some lengths up to now, or two moments of the viewer's clock. */
export const CallRange = ({ query }: { readonly query: CallQuery }) => {
  const { range, times, asked, setRange, setTimes } = query;
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
      {chosen === CUSTOM && (
        <CustomTimes key={`${times.from} ${times.to}`} from={asked.since} to={asked.until} onApply={setTimes} />
      )}
    </>
  );
};
