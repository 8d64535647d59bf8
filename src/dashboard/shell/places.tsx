import { rolesFor, type UserRole, useIsMine, useMe } from "#dashboard/app/session";
import { Card } from "#dashboard/parts/card";
import { Page, TextLink } from "#dashboard/parts/page";
import { Empty } from "#dashboard/parts/states";
import { PLACES, type ScreenPlace } from "./screens";

/** Where who looks can go: what is not for their role is not offered. */
export const usePlaces = (): readonly (readonly [group: string, places: readonly ScreenPlace[]])[] => {
  const isMine = useIsMine();
  return PLACES.map(([group, places]) => [group, places.filter(({ to }) => isMine(to))] as const);
};

/** Where a link leads that somebody with another role has sent. Nothing is asked of the hub. */
export const NotForYou = ({ path }: { readonly path: string }) => (
  <Page title="Not for your role">
    <Card>
      <Empty title={`Required role: ${listed(rolesFor(path) ?? [])}.`}>
        You are signed in as {useMe().user.role}. An administrator can change that.{" "}
        <TextLink to="/">Go to Overview</TextLink>
      </Empty>
    </Card>
  </Page>
);

const PLURALS: Readonly<Record<UserRole, string>> = {
  admin: "administrators",
  reviewer: "reviewers",
  analyst: "analysts",
  member: "members",
  auditor: "auditors",
};
const listed = (roles: readonly UserRole[]): string => {
  const words = roles.map((role) => PLURALS[role]);
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
};
