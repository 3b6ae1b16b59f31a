import { domain } from "#kernel/domain.ts";
import { SsoDeleted, SsoLoginFailed, SsoLoginStarted, SsoTested, SsoUpdated } from "./events.ts";
import { findSso, oidcCallback, samlAcs, samlMetadata, startSso } from "./login/operations.ts";
import { SsoRead, SsoWrite } from "./settings/configuration.ts";
import { deleteSso, enforceSso, getSso, putSso } from "./settings/operations.ts";

export { findEnforcedSso, SsoRequired } from "./enforcement/index.ts";
export { release as releaseSso } from "./settings/service.ts";

export const sso = domain({
  name: "sso",
  summary: "Single sign-on by SAML 2.0 or OpenID Connect.",
  environmentScoped: false,
  permissions: [SsoRead, SsoWrite],
  events: [SsoUpdated, SsoDeleted, SsoLoginStarted, SsoLoginFailed, SsoTested],
  operations: [
    getSso,
    putSso,
    enforceSso,
    deleteSso,
    findSso,
    startSso,
    samlAcs,
    oidcCallback,
    samlMetadata,
  ],
});
