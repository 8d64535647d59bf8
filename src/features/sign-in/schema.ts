import { type Static, Type } from "#core/schema";
import { orNull } from "#http/openapi/schemas";

const closed = { additionalProperties: false } as const;
const Email = Type.String({ minLength: 3, maxLength: 254 });
const Password = Type.String({ minLength: 1, maxLength: 256 });
/** As `mintLink` makes them. */
const LinkToken = Type.String({ minLength: 43, maxLength: 43 });

export const Credentials = Type.Object({ email: Email, password: Password }, { ...closed, $id: "Credentials" });
export type Credentials = Static<typeof Credentials>;

export const FirstAdmin = Type.Object(
  {
    token: LinkToken,
    email: Email,
    name: Type.Optional(Type.Union([Type.String({ maxLength: 100 }), Type.Null()])),
    password: Password,
  },
  { ...closed, $id: "FirstAdmin" },
);
export type FirstAdmin = Static<typeof FirstAdmin>;

export const InvitationLook = Type.Object({ token: LinkToken }, { ...closed, $id: "InvitationLook" });
/** Whom a link is for. */
export const Invitee = Type.Object(
  { email: Type.String(), name: orNull(Type.String({ examples: ["Eve"] })) },
  { $id: "Invitee" },
);
export type Invitee = Static<typeof Invitee>;

/** What the page does next, where the browser's session began at the OpenID provider. */
export const SignedOut = Type.Object(
  {
    provider_sign_out: Type.String({
      format: "uri",
      examples: ["https://login.example.org/session/end?client_id=guardhouse"],
    }),
  },
  { $id: "SignedOut" },
);
export type SignedOut = Static<typeof SignedOut>;

export const Acceptance = Type.Object({ token: LinkToken, password: Password }, { ...closed, $id: "Acceptance" });
export type Acceptance = Static<typeof Acceptance>;
