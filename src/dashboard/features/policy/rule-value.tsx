import { spoken, Tag } from "#dashboard/parts/chip";
import { Value } from "#dashboard/parts/differences";

const isThresholds = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** `block from 0.7` of a rule's thresholds, and where it holds. */
export const RuleValue = ({ of: value }: { readonly of: unknown }) => {
  if (!isThresholds(value)) return <Value of={value} />;
  const { thresholds, origins, ...rest } = value;
  const steps = isThresholds(thresholds) ? Object.entries(thresholds) : [];
  const others = Object.entries(rest);
  return (
    <span className="flex flex-wrap gap-1">
      {steps.map(([action, from]) => (
        <Tag key={action}>{`${action} from ${String(from)}`}</Tag>
      ))}
      {Array.isArray(origins) && <span className="text-[13px] text-muted">in {spoken(origins.join(", "))}</span>}
      {others.map(([name, it]) => (
        <Tag key={name}>{`${name}: ${String(it)}`}</Tag>
      ))}
    </span>
  );
};

/** `restriction 01a2…` by its end, as ids are shown everywhere. */
export const layerName = (layer: string): string => layer.replace(/([0-9a-f]{6})[0-9a-f-]{25}([0-9a-f]{5})$/i, "$1…$2");

/** The layer that says something. */
export const LayerTag = ({ of: layer }: { readonly of: string }) => (
  <span title={layer}>
    <Tag>{layerName(layer)}</Tag>
  </span>
);
