import type { tokenAuth } from "#http/auth/token";
import { openDocument } from "#http/resource-metadata";
import { AUTHORIZATION_PATH } from "#model/oauth/authorization";
import type { ClientDocuments } from "./client-documents";
import { ServerMetadata, serverMetadata } from "./metadata";

type MetadataNeeds = {
  readonly auth: ReturnType<typeof tokenAuth>;
  readonly publicUrl: () => string;
  readonly documents: ClientDocuments;
};

/** OpenID's place too: clients that look there only find the same. */
const WELL_KNOWN = ["/.well-known/oauth-authorization-server", "/.well-known/openid-configuration"];

const METADATA = { summary: "OAuth authorization server metadata", schema: ServerMetadata };
const METADATA_PATHS = WELL_KNOWN.flatMap((path) => [path, path + AUTHORIZATION_PATH, AUTHORIZATION_PATH + path]);

const documentOf =
  ({ publicUrl, documents }: MetadataNeeds) =>
  () =>
    serverMetadata(publicUrl(), documents.isOffered);

/** RFC 8414. */
export const serverMetadataRoutes = (needs: MetadataNeeds) =>
  openDocument({ name: "authorization-server", paths: METADATA_PATHS, ...METADATA }, needs.auth, documentOf(needs));

/** Where RFC 8414 §3.1 puts it when there is a base path. To be mounted outside of it. */
export const insertedServerMetadata = (needs: MetadataNeeds) => (basePath: string) =>
  openDocument(
    {
      name: "authorization-server-inserted",
      paths: WELL_KNOWN.flatMap((path) => [path + basePath, path + basePath + AUTHORIZATION_PATH]),
      ...METADATA,
    },
    needs.auth,
    documentOf(needs),
  );
