import { matchesGlob } from "#core/glob";
import type { ModelAliases } from "#model/provider";
import type { ProviderRow } from "#store/port";

type Routed = { readonly name: string; readonly aliases: ModelAliases };

/** Which stored providers serve a model, in the order they are asked in; nothing is connected for it. */
export const routedTo = (providers: readonly ProviderRow[]) => ({
  route: (model: string): readonly Routed[] =>
    providers.filter(({ models }) => models.some((glob) => matchesGlob(glob, model))),
});
