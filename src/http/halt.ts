import { HALT_RIGHTS, type Halt } from "#core/halt";
import { type Static, Type } from "#core/schema";
import { oneOf, orNull } from "./openapi/shapes";

/** Who stopped something that can go on again, as it is shown. */
export const ShownHalt = Type.Object(
  {
    right: oneOf(HALT_RIGHTS, "As its owner, or above them: then only an administrator lets it go on."),
    by: orNull(Type.String({ description: "E-mail address; null for the command line." })),
    at: orNull(Type.String({ format: "date-time" })),
  },
  { $id: "Halt", description: "Who stopped it, and by what right." },
);
export type ShownHalt = Static<typeof ShownHalt>;

export const shownHalt = ({ right, by, at }: Halt, emailOf: (userId: string) => string): ShownHalt => ({
  right,
  by: by === null ? null : emailOf(by),
  at: at === null ? null : new Date(at).toISOString(),
});
