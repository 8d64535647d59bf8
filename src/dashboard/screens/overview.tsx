import { useMe } from "#dashboard/app/session";
import { Card } from "#dashboard/parts/card";
import { Page } from "#dashboard/parts/page";

const OverviewScreen = () => {
  const { user } = useMe();
  return (
    <Page title="Overview">
      <Card title="Welcome">Signed in as {user.email}.</Card>
    </Page>
  );
};

export default OverviewScreen;
