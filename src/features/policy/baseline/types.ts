import { TAINTED } from "#policy/provenance/provenance";
import { ORIGINS } from "#scan/detector";
import { HIDDEN_TEXT } from "#scan/fold/hidden-text";
import { type CompiledPolicy, typesAt } from "#scan/policy";

/** All flag types a policy's detectors can emit. */
export const typesOf = ({ detectors }: CompiledPolicy): ReadonlySet<string> =>
  new Set([
    ...detectors.flatMap((detector) => ORIGINS.flatMap((origin) => typesAt(detector, origin))),
    HIDDEN_TEXT.type,
    TAINTED.type,
  ]);
