import { TAINTED } from "#core/provenance";
import { ORIGINS } from "#core/scan/detector";
import { HIDDEN_TEXT } from "#core/scan/hidden-text";
import { type CompiledPolicy, typesAt } from "#core/scan/policy";

/** All flag types a policy's detectors can emit. */
export const typesOf = ({ detectors }: CompiledPolicy): ReadonlySet<string> =>
  new Set([
    ...detectors.flatMap((detector) => ORIGINS.flatMap((origin) => typesAt(detector, origin))),
    HIDDEN_TEXT.type,
    TAINTED.type,
  ]);
