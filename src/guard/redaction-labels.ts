import { type HubSecretNeeds, hubSecret } from "#guard/content/hub-secret";
import { derivedKey, hashesUnder } from "#platform/hash";
import { type Labels, labelsBy } from "#scan/label";

/** Names the hub's secret that labels are made under. */
export const LABEL_SECRET = "redaction_labels";

/** The same in every process and after a change of the master key: labels in conversations outlive both. */
export const labelSecret = async (needs: HubSecretNeeds): Promise<Uint8Array> =>
  (await hubSecret(needs, LABEL_SECRET)).key;

type Named = { readonly id: string };
type LabelOwner = { readonly user: Named; readonly agent: Named | null };

/** The labels of an agent, or of a person who calls without one; null: of the hub itself. */
export type LabelsOf = (caller: LabelOwner | null) => Labels;

/** Every caller has a key of its own: labels of one say nothing about values that another sent. */
export const redactionLabels =
  (secret: Uint8Array): LabelsOf =>
  (caller) =>
    labelsBy(hashesUnder(derivedKey(secret, `label ${ownerOf(caller)}`)));

const ownerOf = (caller: LabelOwner | null): string => {
  if (caller === null) return "hub";
  const { agent, user } = caller;
  return agent ? `agent ${agent.id}` : `user ${user.id}`;
};
