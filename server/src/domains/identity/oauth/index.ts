import { contribute } from "#kernel/extension-point.ts";
import { AccountCredentialPoint } from "#kernel/contributions/account-credential.ts";
import { CredentialSourcePoint } from "#kernel/access/authenticator.ts";
import { domain } from "#kernel/domain.ts";
import {
  createApplication,
  deleteApplication,
  getApplication,
  listApplications,
  rotateApplicationSecret,
  updateApplication,
} from "./applications/operations.ts";
import {
  authorizePage,
  decideAuthorization,
  loginToAuthorize,
} from "./authorization/operations.ts";
import { accessTokens } from "./tokens/credential.ts";
import {
  ApplicationCreated,
  ApplicationDeleted,
  ApplicationSecretRotated,
  ApplicationUpdated,
} from "./applications/application.ts";
import {
  ConsentDenied,
  ConsentGranted,
  ConsentRevoked,
  TokenIssued,
  TokenRefreshed,
  TokenRefused,
  TokenReuseDetected,
  TokenRevoked,
} from "./events.ts";
import { listConsents, revokeConsent } from "./consents.ts";
import { grantRetentionJob, revokeUserGrants } from "./grant-store.ts";
import { ClientRegistered, registerClient } from "./applications/registration.ts";
import { describeAgentResource, describeResource, describeServer } from "./metadata.ts";
import { ApplicationsRead, ApplicationsWrite } from "./applications/store.ts";
import { introspectToken, issueToken, revokeToken } from "./tokens/operations.ts";

export { revokeConsentFor } from "./consents.ts";
export { ConsentRevoked } from "./events.ts";

export const oauth = domain({
  name: "oauth",
  summary: "OAuth 2.0 applications with authorization codes and PKCE.",
  environmentScoped: false,
  permissions: [ApplicationsRead, ApplicationsWrite],
  events: [
    ApplicationCreated,
    ApplicationUpdated,
    ApplicationSecretRotated,
    ApplicationDeleted,
    ClientRegistered,
    ConsentGranted,
    ConsentDenied,
    ConsentRevoked,
    TokenIssued,
    TokenRefreshed,
    TokenRevoked,
    TokenReuseDetected,
    TokenRefused,
  ],
  operations: [
    createApplication,
    listApplications,
    getApplication,
    updateApplication,
    rotateApplicationSecret,
    deleteApplication,
    authorizePage,
    decideAuthorization,
    loginToAuthorize,
    listConsents,
    revokeConsent,
    issueToken,
    revokeToken,
    introspectToken,
    describeServer,
    describeResource,
    describeAgentResource,
    registerClient,
  ],
  contributions: [
    contribute(CredentialSourcePoint, accessTokens),
    contribute(AccountCredentialPoint, {
      kind: "oauth_grants",
      scope: "workspace",
      revoke: ({ tx, now }, userId) => revokeUserGrants(tx, userId, now),
    }),
  ],
  jobs: [grantRetentionJob],
});
