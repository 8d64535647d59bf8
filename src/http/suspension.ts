import { type Static, Type } from "#core/schema";
import { SUSPENSION_RIGHTS, type Suspension } from "#model/suspension";
import { oneOf, orNull } from "./openapi/schemas";

/** Who stopped something that can go on again, as it is shown. */
export const SuspensionResponse = Type.Object(
  {
    right: oneOf(SUSPENSION_RIGHTS, "As its owner, or above them: then only an administrator lets it go on."),
    by: orNull(Type.String({ description: "E-mail address; null for the command line." })),
    at: orNull(Type.String({ format: "date-time" })),
  },
  { $id: "Halt", description: "The user who suspended or disabled it, and the role." },
);
export type SuspensionResponse = Static<typeof SuspensionResponse>;

export const suspensionResponse = (
  { right, by, at }: Suspension,
  emailOf: (userId: string) => string,
): SuspensionResponse => ({
  right,
  by: by === null ? null : emailOf(by),
  at: at === null ? null : new Date(at).toISOString(),
});
