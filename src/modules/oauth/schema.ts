import { type Static, Type } from "#core/schema";

const Tools = Type.Array(Type.String({ maxLength: 64 }), {
  maxItems: 1_000,
  description: "Public names of tools, files__* for all of a server, * for all there are.",
});

export const Decision = Type.Object(
  {
    /** The parameters of the authorization request, as they were in the page's address. */
    query: Type.String({ maxLength: 16_384 }),
    accept: Type.Boolean(),
    tools: Tools,
    user: Type.Optional(
      Type.String({ maxLength: 36, description: "Who was asked: another who is signed in by now has not decided." }),
    ),
  },
  { additionalProperties: false },
);
export type Decision = Static<typeof Decision>;

export const AllowlistChange = Type.Object({ tools: Tools }, { additionalProperties: false });

export const ClientChange = Type.Object({ disabled: Type.Boolean() }, { additionalProperties: false });
