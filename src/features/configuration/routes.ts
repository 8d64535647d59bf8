import { Elysia } from "elysia";
import { COMMANDS, commandLine } from "#core/command-line";
import { Type } from "#core/schema";
import type { tokenAuth } from "#http/auth/token";
import { describe } from "#http/openapi/route-doc";
import { configurationSchema } from "./schema";

/** The schema of configuration files, for editors. Made when it is first asked for. */
export const configurationRoutes = ({ auth }: { readonly auth: ReturnType<typeof tokenAuth> }) => {
  let made: string | undefined;
  return new Elysia({ name: "configuration" }).use(auth).get(
    "/configuration.schema.json",
    () => {
      made ??= configurationSchema();
      return new Response(made, { headers: { "content-type": "application/json" } });
    },
    {
      open: "says what a configuration file looks like, and nothing of anybody",
      parse: "none",
      detail: describe("Documentation", "JSON Schema of configuration files", {
        description: `What \`${commandLine(COMMANDS.apply())}\` takes and \`${commandLine(COMMANDS.exportConfig())}\` writes.`,
        answers: {
          200: {
            schema: Type.Object({ $schema: Type.String() }, { additionalProperties: true }),
            example: { $schema: "https://json-schema.org/draft/2020-12/schema" },
          },
        },
      }),
    },
  );
};
